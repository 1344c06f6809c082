// Whatever ends the making of a store, there is a whole one or none.
#include <fstream>

#include "base/file.h"
#include "migrate/lock.h"
#include "tests/migrate/losing.h"

using berth::Errc;
using berth::test::Died;
using berth::test::is_done;
using berth::test::Losing;
using Kind = berth::migrate::Outcome::Kind;

namespace {

/// Dies at the n-th act of any kind.
class AnyActSeam final : public berth::Seam {
 public:
  explicit AnyActSeam(int die_at) : die_at_(die_at) {}
  berth::Status before(std::string_view, std::string_view) override {
    if (die_at_ > 0 && --die_at_ == 0) throw Died{};
    return {};
  }

 private:
  int die_at_;
};

}  // namespace

TEST_CASE("a log left of the lost store is not played into the rebuilt one", "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  const auto ledger = fleet.ledger();
  const auto log = fleet.store_path().native() + "-wal";
  std::string left;
  {
    auto store = fleet.open_store();
    REQUIRE(store.set_setting("only in", "the log").ok());
    left = berth::read_file(log).value();
  }
  REQUIRE_FALSE(left.empty());
  fleet.lose();
  { std::ofstream{log, std::ios::binary} << left; }
  is_done(fleet.rebuild());
  CHECK(fleet.ledger() == ledger);
  CHECK(fleet.text("SELECT count(*) FROM setting WHERE key = 'only in'") == "0 \n");
}

TEST_CASE("killed at any act, a rebuild leaves no store; the next one begins with what was left and makes it",
          "[migrate][rebuild][crash]") {
  Losing fleet;
  fleet.file.document["max_parallel"] = 1;
  for (const auto* name : {"cedar", "dogwood"}) fleet.file.document["machines"].erase(name);
  REQUIRE(fleet.run(4)->kind == Kind::done);
  const auto ledger = fleet.ledger();
  fleet.lose();
  int cut = 1;
  for (bool died = true; died; ++cut) {
    CAPTURE(cut);
    AnyActSeam seam{cut};
    try {
      is_done(fleet.rebuild({}, &seam));
      died = false;
    } catch (const Died&) {
      REQUIRE_FALSE(fleet.has_store());
    }
  }
  CHECK(cut > 16);  // it really was cut at every act, not at none
  CHECK(fleet.ledger() == ledger);
  for (const auto* tail : {".rebuilt", ".rebuilt.new", ".rebuilt.new-wal"})
    CHECK_FALSE(std::filesystem::exists(fleet.store_path().native() + tail));
}

TEST_CASE("a rebuild that cannot write leaves no store", "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.lose();
  berth::test::ScriptedSeam seam;
  seam.fail_at("store.commit", 5);
  const auto failed = fleet.rebuild({}, &seam);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().detail.find("made to fail") != std::string::npos);
  CHECK_FALSE(fleet.has_store());
}

TEST_CASE("a runner that is at work is stopped by a rebuild, or stops it", "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.lose();
  // Once all four have said what they are: they are asked side by side.
  int asked = 0;
  fleet.port.before_ask = [&](const std::string&, const std::string& what) {
    if (what == "before" && ++asked == 4) fleet.at("alder").run_version("1.1.0");
  };
  const auto moved = fleet.rebuild();
  REQUIRE_FALSE(moved.ok());
  CHECK(moved.error().code == Errc::stale);
  CHECK(moved.error().detail.find("alder has moved on while the others were asked (host_version)") !=
        std::string::npos);
  CHECK_FALSE(fleet.has_store());
  {
    const auto held =
        berth::migrate::RunnerLock::take(berth::migrate::lock_path(fleet.store_path()), "somebody@desk");
    REQUIRE(held.ok());
    const auto second = fleet.rebuild();
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().detail.find("somebody@desk (process ") != std::string::npos);
  }
}
