// The operator's store is lost, and made anew from what the machines and the streams say.
#include <fstream>

#include "base/file.h"
#include "catch.h"
#include "migrate/ledger.h"
#include "migrate/lock.h"
#include "store/audit.h"
#include "tests/migrate/fake_fleet.h"

using berth::Errc;
using berth::Json;
using berth::test::Died;
using berth::test::Fleet;
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

/// A fleet whose operator loses the store.
struct Losing : Fleet {
  void lose() const {
    for (const auto* tail : {"", "-wal", "-shm", ".runner"})
      std::filesystem::remove(store_path().native() + tail);
  }
  berth::Result<berth::migrate::Rebuilt> rebuild(const std::vector<std::string>& without = {},
                                                 berth::Seam* faults = nullptr) {
    using namespace std::chrono_literals;
    berth::migrate::Waits waits{.poll = 1ms, .patience = 20ms, .push = 200ms, .event = 200ms, .release = 0s};
    return berth::migrate::rebuild(
        document(), {.runner = "operator@desk", .program = "1.2.0", .to_step = 5, .machines = without},
        store_path(), {port, clock, faults == nullptr ? seam : *faults, waits}, listener, stop.get_token());
  }
  void takes_out(const std::string& machine) {
    auto store = open_store();
    REQUIRE(berth::migrate::set_aside(document(), machine, "its disk is full", store).ok());
  }
  void brings_in(const std::string& machine) {
    auto store = open_store();
    REQUIRE(berth::migrate::bring_in(document(), machine, store).ok());
  }
  bool has_store() const { return std::filesystem::exists(store_path()); }
  Json proof(int step, const std::string& machine) {
    auto store = open_store();
    berth::migrate::Ledger ledger{store, berth::migrate::newest_migration(store, "mesh").value()->id};
    return Json::parse(*ledger.run(step, machine).value().proof);
  }
  Json status() {
    auto store = open_store();
    return berth::migrate::status(document(), store)->document;
  }
  std::string text(const std::string& sql) {
    auto store = open_store();
    std::string all;
    const auto table = store.table(sql, {}).value();
    for (const auto& row : table.rows) {
      for (const auto& value : row) {
        if (const auto* word = std::get_if<std::string>(&value)) all += *word + " ";
        if (const auto* n = std::get_if<std::int64_t>(&value)) all += std::to_string(*n) + " ";
      }
      all += "\n";
    }
    return all;
  }
};

void is_done(const berth::Result<berth::migrate::Rebuilt>& rebuilt) {
  INFO((rebuilt ? rebuilt->outcome.text : rebuilt.error().detail));
  REQUIRE(rebuilt.ok());
  REQUIRE(rebuilt->outcome.kind == Kind::done);
}

std::string all_lost(const berth::migrate::Rebuilt& rebuilt) {
  std::string text;
  for (const auto& loss : rebuilt.outcome.document["lost"])
    text += (loss["machine"].is_null() ? "fleet" : loss["machine"].get<std::string>()) + ": " +
            loss["what"].get<std::string>() + ": " + loss["why"].get<std::string>() + "\n";
  return text;
}

}  // namespace

TEST_CASE("a lost operator store is made anew after any step, and the migration goes on to the same end",
          "[migrate][rebuild]") {
  Losing whole;
  REQUIRE(whole.run()->kind == Kind::done);
  const auto end = whole.portrait();
  for (int done = 2; done <= 5; ++done) {
    CAPTURE(done);
    Losing fleet;
    REQUIRE(fleet.run(done)->kind == Kind::done);
    const auto ledger = fleet.ledger();
    const auto machines = fleet.at("birch").portrait();
    fleet.lose();
    is_done(fleet.rebuild());
    CHECK(fleet.ledger() == ledger);
    CHECK(fleet.at("birch").portrait() == machines);  // nothing was asked of it but questions
    CHECK(fleet.at("birch").hand_overs() == 1);
    const auto outcome = fleet.run();
    INFO((outcome ? outcome->text : outcome.error().detail));
    REQUIRE((outcome.ok() && outcome->kind == Kind::done));
    CHECK(fleet.portrait() == end);
  }
}

TEST_CASE("what step 1 read leaves nothing on a machine: after it alone is done, it is read again",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  fleet.lose();
  is_done(fleet.rebuild());
  CHECK(fleet.ledger().find("1 alder pending\n1 birch pending") != std::string::npos);
  CHECK(fleet.status()["next"] == "berth migrate run: step 1 (read-configs) comes next");
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("where no runner ever was, a rebuilt store has no migration", "[migrate][rebuild]") {
  Losing fleet;
  const auto rebuilt = fleet.rebuild();
  is_done(rebuilt);
  CHECK(rebuilt->outcome.document["migration"].is_null());
  CHECK(fleet.status()["migration"].is_null());
  CHECK(fleet.text("SELECT count(*) FROM assignment") == "11 \n");
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("the proofs of a rebuilt store are what the machines remember, and say what is missing",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  std::map<int, Json> before;
  for (int step = 1; step <= 4; ++step) before[step] = fleet.proof(step, "birch");
  fleet.lose();
  const auto rebuilt = fleet.rebuild();
  is_done(rebuilt);
  const auto again = [&](int step) { return fleet.proof(step, "birch"); };
  CHECK(again(1)["file"] == before[1]["file"]);
  CHECK(again(1)["containers"] == before[1]["containers"]);
  CHECK(again(1)["keys"] == before[1]["keys"]);
  for (const auto* same : {"push_id", "file", "keys", "containers", "records", "report"}) {
    CAPTURE(same);
    CHECK(again(2)[same] == before[2][same]);
  }
  CHECK(again(3)["push_id"] == before[3]["push_id"]);
  CHECK(again(3)["seat"] == before[3]["seat"]);
  CHECK(again(3)["probe"]["events"] == before[3]["probe"]["events"]);
  CHECK(again(3)["refused_where_unheld"] == before[3]["refused_where_unheld"]);
  for (const auto* same : {"version", "previous", "path", "report", "reports_next", "cli_path"}) {
    CAPTURE(same);
    CHECK(again(4)[same] == before[4][same]);
  }
  CHECK_FALSE(again(4).contains("containers"));
  CHECK(again(4)["rebuilt"]["missing"][1] == "which containers ran before and after");
  CHECK(all_lost(*rebuilt).find(
            "birch: of the proof of step 4: the probe; which containers ran before and after") !=
        std::string::npos);
  CHECK(all_lost(*rebuilt).find("broker's permissions") == std::string::npos);
  CHECK(all_lost(*rebuilt).find("the assignment of") == std::string::npos);
  auto store = fleet.open_store();
  const auto report = berth::migrate::report(fleet.document(), store, "1.2.0").value();
  CHECK(report["machines"][1]["steps"][3]["says"].get<std::string>().find(
            "which containers ran before and after is lost") != std::string::npos);
  CHECK(report["machines"][1]["steps"][3]["restarts"].is_null());
  CHECK(report["machines"][1]["steps"][1]["restarts"] == 0);
  CHECK(berth::migrate::report_page(report).find("made again after the operator") != std::string::npos);
}

TEST_CASE("from a rebuilt store every step is backed out to the file as it was found", "[migrate][rebuild]") {
  Losing fleet;
  const auto found = fleet.at("birch").file_text;
  REQUIRE(fleet.run()->kind == Kind::done);
  fleet.lose();
  is_done(fleet.rebuild());
  for (int step = 5; step >= 1; --step) {
    CAPTURE(step);
    const auto outcome = fleet.back_out(step, "birch");
    INFO((outcome ? outcome->text : outcome.error().detail));
    REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  }
  CHECK(fleet.at("birch").file_text == found);
  CHECK(fleet.at("birch").version() == "1.0.0");
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a rebuilt store answers the audits, and goes on above every token and sequence",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  const std::vector<std::string> asked{
      "SELECT machine, id, origin, state FROM resource_record WHERE id <> 'broker.permissions' ORDER BY "
      "machine, id",
      "SELECT machine, name, state, mesh_held FROM container WHERE name <> 'berth-probe-0123abcd' ORDER BY "
      "machine, name",
      "SELECT machine, key, value, owner, planned, decision, waiting FROM config_key ORDER BY machine, key",
      "SELECT machine, store, seq, result, path, host_version FROM apply_report ORDER BY machine, seq",
      "SELECT id, kind FROM runtime_event ORDER BY id",
      "SELECT machine, seat, module, socket FROM seat_hold ORDER BY machine",
      "SELECT machine, owner, class, name, subject FROM issued_subject ORDER BY subject",
      "SELECT caller, machine, verb, class FROM \"grant\" ORDER BY caller, verb",
      "SELECT machine, push_id, sequence, token, kind, state FROM push ORDER BY machine, sequence",
      "SELECT name, machine_id, host_version, cli_path FROM machine ORDER BY name",
      "SELECT machine, sha256 FROM config_snapshot ORDER BY machine"};
  std::vector<std::string> answers;
  for (const auto& sql : asked) answers.push_back(fleet.text(sql));
  const auto token = fleet.status()["token"].get<int>();
  fleet.lose();
  is_done(fleet.rebuild());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CAPTURE(asked[i]);
    CHECK(fleet.text(asked[i]) == answers[i]);
  }
  CHECK(fleet.status()["token"] == token + 1);
  CHECK(Json::parse(fleet.port.leases.back().text)["token"] == token + 1);
  CHECK(fleet.text("SELECT runner, token FROM lease") ==
        "operator@desk " + std::to_string(token + 1) + " \n");
}

TEST_CASE("a machine that is off keeps a store from being rebuilt, by name, and nothing is made",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  fleet.lose();
  fleet.at("cedar").silent = true;
  const auto leases = fleet.port.leases.size();
  const auto refused = fleet.rebuild();
  REQUIRE(refused.ok());
  CHECK(refused->outcome.kind == Kind::refused);
  CHECK(refused->silent);
  CHECK(refused->outcome.text.find("  cedar: nobody listens on mesh.cedar.host.ask\n") != std::string::npos);
  CHECK(refused->outcome.text.find("--set-aside cedar\n") != std::string::npos);
  CHECK_FALSE(fleet.has_store());
  CHECK(fleet.port.leases.size() == leases);
}

TEST_CASE("a store rebuilt without a machine sets it aside; brought in, it goes through every step again",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  const auto accepted = fleet.at("birch").accepted();
  fleet.lose();
  fleet.at("cedar").silent = true;
  const auto rebuilt = fleet.rebuild({"cedar"});
  is_done(rebuilt);
  CHECK(all_lost(*rebuilt).find("cedar: everything but its reports and events: nobody listens") !=
        std::string::npos);
  CHECK(fleet.status()["machines"]["cedar"]["set_aside"] ==
        "store rebuild went on without it: nobody listens on mesh.cedar.host.ask");
  CHECK(fleet.status()["machines"]["cedar"]["steps"]["2"]["state"] == "pending");
  CHECK(fleet.status()["machines"]["birch"]["steps"]["4"]["state"] == "done");
  CHECK(fleet.text("SELECT count(*) > 0 FROM apply_report WHERE machine = 'cedar'") == "1 \n");
  fleet.at("cedar").silent = false;
  auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->document["why"].get<std::string>().find(
            "cedar: it is set aside: store rebuild went on without it") != std::string::npos);
  fleet.brings_in("cedar");
  outcome = fleet.run();
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  CHECK(fleet.at("birch").accepted() == accepted);
  CHECK(fleet.at("cedar").seat_held());
}

TEST_CASE("a machine with another machine-id keeps a store from being rebuilt, and nothing of it is taken",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.lose();
  fleet.at("cedar").machine_id = std::string(32, 'f');
  const auto refused = fleet.rebuild();
  REQUIRE(refused.ok());
  CHECK(refused->outcome.kind == Kind::refused);
  CHECK_FALSE(refused->silent);
  CHECK(refused->outcome.document["unheard"][0]["code"] == "drift");
  CHECK(refused->outcome.text.find("cedar is another machine than the fleet document means") !=
        std::string::npos);
  CHECK_FALSE(fleet.has_store());
  is_done(fleet.rebuild({"cedar"}));
  CHECK(fleet.text("SELECT count(*) FROM resource_record WHERE machine = 'cedar'") == "0 \n");
  CHECK(fleet.text("SELECT count(*) FROM push WHERE machine = 'cedar'") == "0 \n");
}

TEST_CASE("what is between two states keeps a store from being rebuilt, saying what has not ended",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.lose();
  fleet.at("birch").is_between = true;
  CHECK(fleet.rebuild()->outcome.text.find("birch: hand_over push ") != std::string::npos);
  fleet.at("birch").is_between = false;
  fleet.at("birch").tells_its_past = false;
  CHECK(fleet.rebuild()->outcome.text.find("birch: its host is of a release that does not tell its past") !=
        std::string::npos);
  fleet.at("birch").tells_its_past = true;
  is_done(fleet.rebuild());
  REQUIRE(fleet.run(4)->kind == Kind::done);
  fleet.lose();
  fleet.at("dogwood").on_trial = true;
  CHECK(fleet.rebuild()->outcome.text.find("dogwood: its release 1.1.0 is on trial until 2026-01-02") !=
        std::string::npos);
  fleet.at("dogwood").on_trial = false;
  fleet.at("alder").holder_answers = false;
  const auto silent = fleet.rebuild();
  CHECK(silent->outcome.text.find(
            "alder: its holder does not answer: connect /run/berth/holder.sock: connection refused") !=
        std::string::npos);
  CHECK(silent->silent);
  CHECK_FALSE(fleet.has_store());
}

TEST_CASE("who lags behind the others was set aside, and is again", "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  fleet.takes_out("cedar");
  REQUIRE(fleet.run(4)->kind == Kind::done);
  fleet.lose();
  is_done(fleet.rebuild());
  CHECK(fleet.status()["machines"]["cedar"]["set_aside"] ==
        "it was set aside before the operator's store was lost, and why is lost with it");
  CHECK(fleet.status()["machines"]["birch"]["set_aside"].is_null());
  CHECK(fleet.run()->kind == Kind::refused);
  fleet.brings_in("cedar");
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a store with anything in it is never rebuilt over, one with nothing is kept beside",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  const auto ledger = fleet.ledger();
  auto refused = fleet.rebuild();
  CHECK(fleet.ledger() == ledger);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().detail.find(fleet.store_path().native() + " is there and not empty") !=
        std::string::npos);
  CHECK(refused.error().code == Errc::conflict);
  fleet.lose();
  { (void)fleet.open_store(); }  // made by a command that looked for it
  is_done(fleet.rebuild());
  CHECK(fleet.ledger() == ledger);
  fleet.lose();
  { std::ofstream none{fleet.store_path()}; }
  is_done(fleet.rebuild());
  CHECK(fleet.ledger() == ledger);
  fleet.lose();
  { std::ofstream{fleet.store_path()} << "something else"; }
  refused = fleet.rebuild();
  REQUIRE_FALSE(refused.ok());
  CHECK(berth::read_file(fleet.store_path()).value() == "something else");
}

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
  int asked = 0;
  fleet.port.before_ask = [&](const std::string& machine, const std::string& what) {
    if (machine == "dogwood" && what == "before" && ++asked == 1) fleet.at("alder").run_version("1.1.0");
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

TEST_CASE("what was done by hand beyond the fleet document is named, machine by machine",
          "[migrate][rebuild]") {
  Losing fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  // As the machines have it: a module more, and permissions that give more than the document does.
  fleet.file.document["grants"].erase(1);
  fleet.file.document["machines"]["cedar"]["modules"] = {"docker"};
  fleet.lose();
  const auto rebuilt = fleet.rebuild();
  is_done(rebuilt);
  const auto lost = all_lost(*rebuilt);
  INFO(lost);
  CHECK(lost.find(
            "cedar: the assignment of web: it has records there and the fleet document does not list it") !=
        std::string::npos);
  CHECK(lost.find("alder: what the broker's permissions have beyond the fleet document") !=
        std::string::npos);
  CHECK(lost.find("birch: the assignment") == std::string::npos);
  CHECK(lost.find("fleet: calls: what was asked of machines from this desk") != std::string::npos);
  auto store = fleet.open_store();
  const auto audit = berth::store::run_audit(store, berth::store::find_audit("lost").value(), "cedar");
  REQUIRE(audit.ok());
  CHECK(std::get<std::string>(audit->rows.at(0).at(1)) == "cedar");
}

TEST_CASE("a machine named to go on without must be one of the fleet's", "[migrate][rebuild]") {
  Losing fleet;
  const auto refused = fleet.rebuild({"elm"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().field == "machine");
  CHECK_FALSE(fleet.has_store());
}
