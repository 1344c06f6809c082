// What happened to others in the field, by the case's id.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "catch.h"
#include "migrate/ledger.h"
#include "migrate/lock.h"
#include "tests/migrate/fake_fleet.h"

using berth::Errc;
using berth::test::Died;
using berth::test::Fleet;
using berth::test::FleetFile;
using Kind = berth::migrate::Outcome::Kind;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A process of its own that holds the runner's lock until it is killed.
class OtherRunner {
 public:
  explicit OtherRunner(const std::filesystem::path& lock) {
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const auto held = berth::migrate::RunnerLock::take(lock, "night@desk");
      if (::write(ready[1], held.ok() ? "y" : "n", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char said = 'n';
    REQUIRE(::read(ready[0], &said, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
    REQUIRE(said == 'y');
  }
  ~OtherRunner() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

/// The steps that a run which died left begun.
std::set<int> begun(Fleet& fleet) {
  std::set<int> steps;
  const auto text = fleet.ledger();
  for (auto at = text.find(" running\n"); at != std::string::npos; at = text.find(" running\n", at + 1))
    steps.insert(text[text.rfind('\n', at) + 1] - '0');
  return steps;
}

struct Two : Fleet {
  Two() {
    file.document["max_parallel"] = 1;
    for (const auto* name : {"cedar", "dogwood"}) file.document["machines"].erase(name);
  }
};

}  // namespace

TEST_CASE("MG01 of two runners on one store one works, and the other says who does before it reads anything",
          "[migrate][case]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  OtherRunner other{berth::migrate::lock_path(fleet.store_path())};
  const auto second = fleet.run();
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == Errc::stale);
  CHECK(has(second.error().detail, "night@desk (process " + std::to_string(other.pid()) + ")"));
  CHECK(fleet.port.acts == 0);
  other.kill();
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("MG02 a runner that was killed leaves no lock, and what it had begun is looked at again", "[migrate][case]") {
  Two fleet;
  fleet.port.die_at_act = 1;
  fleet.port.die_after = true;
  CHECK_THROWS_AS(fleet.run(), Died);
  CHECK(begun(fleet) == std::set<int>{2});
  OtherRunner{berth::migrate::lock_path(fleet.store_path())}.kill();  // this one too, and by SIGKILL
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::done);
  CHECK(fleet.at("alder").hand_overs() == 1);
}

TEST_CASE("MG03 killed between doing and recording, in each step and on either side, a push is made once",
          "[migrate][case][crash]") {
  Two whole;
  REQUIRE(whole.run()->kind == Kind::done);
  const auto end = whole.portrait();
  std::set<int> seen;
  for (const bool after : {false, true}) {
    for (int cut = 1; cut <= whole.port.acts; ++cut) {
      CAPTURE(after, cut);
      Two fleet;
      fleet.port.die_at_act = cut;
      fleet.port.die_after = after;
      CHECK_THROWS_AS(fleet.run(), Died);
      seen.merge(begun(fleet));
      const auto outcome = fleet.run();
      INFO((outcome ? outcome->text : outcome.error().detail));
      REQUIRE((outcome.ok() && outcome->kind == Kind::done));
      REQUIRE(fleet.portrait() == end);  // hand-overs are counted in it
    }
  }
  CHECK(seen == std::set<int>{2, 3, 4, 5});  // step 1 asks nothing that changes a machine
}

TEST_CASE("MG04 an engine's id is nobody's name: two engines with one id are two machines", "[migrate][case]") {
  Fleet fleet;
  for (auto& [name, machine] : fleet.port.machines) machine.engine_id = "4XJ5:CLONED";
  REQUIRE(fleet.run()->kind == Kind::done);
  auto store = fleet.open_store();
  const auto named = store.table("SELECT count(*) FROM machine WHERE machine_id LIKE '%CLONED%' OR name LIKE '%CLONED%'", {});
  CHECK(std::get<std::int64_t>(named->rows[0][0]) == 0);
}

TEST_CASE("MG04 machines made from one image are told before step 2, in the document and on the machines",
          "[migrate][case]") {
  Fleet fleet;
  fleet.file.document["machines"]["cedar"]["machine_id"] = FleetFile::machine_id("birch");
  const auto loaded = berth::migrate::FleetDocument::load(fleet.file.write());
  REQUIRE_FALSE(loaded.ok());
  CHECK(has(loaded.error().detail, "is that of birch too: machines made from one image need ids of their own"));

  Fleet cloned;
  cloned.at("cedar").machine_id = FleetFile::machine_id("birch");
  const auto outcome = cloned.run();
  REQUIRE(outcome.ok());
  CHECK(has(outcome->text, "cedar is another machine than the fleet document means"));
  CHECK(cloned.port.acts == 0);
}

TEST_CASE("MG06 resumed with another document, what differs is shown, and what done steps rest on is refused",
          "[migrate][case]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.file.document["reach"]["mesh-artifact-store"] = "registry.other:5000";
  const auto refused = fleet.run();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Errc::drift);
  CHECK(has(refused.error().detail, "reach.mesh-artifact-store: \"registry.mesh:5000\" -> \"registry.other:5000\""));
  CHECK(has(refused.error().detail, "depends on it"));
  CHECK_FALSE(fleet.at("alder").seat_held());
  // With the document as it was it goes on; the steps that are done are not done again.
  fleet.file.document["reach"]["mesh-artifact-store"] = "registry.mesh:5000";
  REQUIRE(fleet.run()->kind == Kind::done);
  CHECK(fleet.at("birch").hand_overs() == 1);
}

TEST_CASE("MG08 a clock that jumps ends no lock and no lease: a second runner stays refused", "[migrate][case]") {
  Fleet fleet;
  bool jumped = false;
  std::string second;
  fleet.port.before_ask = [&](const std::string&, const std::string& what) {
    if (what != "plan" || jumped) return;
    jumped = true;
    fleet.clock.advance(std::chrono::hours{1});
    const auto lock =
        berth::migrate::RunnerLock::take(berth::migrate::lock_path(fleet.store_path()), "impatient@desk");
    second = lock ? "has the lock" : lock.error().detail;
  };
  const auto outcome = fleet.run();
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  CHECK(has(second, "another runner is at work on this store: operator@desk"));
  CHECK(fleet.port.leases.size() == 1);
}
