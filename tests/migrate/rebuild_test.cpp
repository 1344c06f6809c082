// The operator's store is lost, and made anew from what the machines and the streams say.
#include "store/audit.h"
#include "tests/migrate/losing.h"

using berth::Json;
using berth::test::all_lost;
using berth::test::is_done;
using berth::test::Losing;
using Kind = berth::migrate::Outcome::Kind;

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
