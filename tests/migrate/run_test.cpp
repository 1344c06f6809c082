#include "base/fields.h"
#include "catch.h"
#include "migrate/ledger.h"
#include "store/audit.h"
#include "tests/migrate/fake_fleet.h"

using berth::Json;
using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

namespace {

std::string all(const std::string& state) {
  std::string text;
  for (int step = 1; step <= 5; ++step) {
    for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
      text += std::to_string(step) + " " + machine + " " + state + "\n";
  }
  return text;
}

/// From the ledger: what a run answers tells states, no proofs.
Json proof_of(Fleet& fleet, const std::string& machine, int step) {
  auto store = fleet.open_store();
  const auto migration = berth::migrate::newest_migration(store, "mesh").value();
  const auto row = berth::migrate::Ledger(store, migration->id).run(step, machine);
  REQUIRE((row.ok() && row->state == "done"));
  return Json::parse(row->proof.value());
}

}  // namespace

TEST_CASE("a fleet goes through all five steps, with a proof of each, and a second run has nothing to do",
          "[migrate]") {
  Fleet fleet;
  const auto outcome = fleet.run();
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE(outcome.ok());
  REQUIRE(outcome->kind == Kind::done);
  CHECK(fleet.ledger() == "closed\n" + all("done"));
  for (auto& [name, machine] : fleet.port.machines) {
    CAPTURE(name);
    CHECK(machine.version() == "1.2.0");
    CHECK(machine.seat_held());
    CHECK(machine.hand_overs() == 1);
    const auto hand_over = proof_of(fleet, name, 2);
    CHECK(hand_over["containers"]["restarted"] == Json::array());
    CHECK(hand_over["containers"]["same"] == (name == "alder" ? 3 : 2));
    CHECK(hand_over["keys"]["taken"].size() >= 2);
    CHECK(proof_of(fleet, name, 3)["probe"]["events"].contains("removed"));
    CHECK(proof_of(fleet, name, 4)["path"] == "holder");
    CHECK(proof_of(fleet, name, 5)["cli_path"] == "absent");
  }
  CHECK(proof_of(fleet, "alder", 2)["records"]["carried"] == Json::array({"container-runtime"}));
  CHECK(proof_of(fleet, "birch", 2)["records"]["given_back"] ==
        Json::array({"dnsmasq.daemon", "dnsmasq.runtime"}));
  CHECK(proof_of(fleet, "cedar", 2)["file"]["diff"].get<std::string>().find(
            "+  \"live-restore\": true") != std::string::npos);
  CHECK(outcome->document["next"] == "nothing: all five steps are done on every machine");
  // A thousand machines' proofs would be most of what the runner holds.
  CHECK(outcome->document["machines"]["alder"]["steps"]["2"]["state"] == "done");
  CHECK_FALSE(outcome->document["machines"]["alder"]["steps"]["2"].contains("proof"));

  auto store = fleet.open_store();
  const auto keys = berth::store::run_audit(store, *berth::store::find_audit("engine_keys"), "birch");
  REQUIRE(keys);
  for (const auto& row : keys->rows) {
    const auto owner = std::get<std::string>(row[3]);
    CHECK(owner != "dnsmasq.daemon");
    if (std::get<std::string>(row[1]) == "live-restore") CHECK(owner == "docker.daemon");
  }

  const auto acts = fleet.port.acts;
  CHECK(fleet.run()->kind == Kind::done);
  CHECK(fleet.port.acts == acts);
}

TEST_CASE("a run goes as far as it is told", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  CHECK(fleet.at("cedar").hand_overs() == 1);
  CHECK_FALSE(fleet.at("cedar").seat_held());
  CHECK(fleet.ledger().find("3 alder pending") != std::string::npos);
  REQUIRE(fleet.run(3)->kind == Kind::done);
  CHECK(fleet.at("cedar").seat_held());
  CHECK(fleet.at("cedar").version() == "1.0.0");
}

TEST_CASE("a machine named alone goes alone, and its next step waits for the others, naming them",
          "[migrate]") {
  Fleet fleet;
  fleet.options.machines = {"birch"};
  const auto outcome = fleet.run(2);
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->document["why"] == "step 2 waits for step 1 on alder, cedar, dogwood");
  CHECK(fleet.at("birch").accepted() == 0);
  fleet.options.machines = {"elm"};
  CHECK(fleet.run(1).error().field == "machine");
}

TEST_CASE("an undecided difference stops the run and is printed as lines to paste, and nothing was pushed",
          "[migrate]") {
  Fleet fleet;
  fleet.file.document["machines"]["dogwood"].erase("settings");
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->document["why"].get<std::string>() ==
        "dogwood: undecided: the fleet document must say what becomes of what was found\n"
        "dogwood: \"live-restore\" (false, by hand) would become true; put one of these under "
        "machines.dogwood.settings.docker:\n"
        "    \"live-restore\":true\n    \"live-restore\":false\n    \"keep\":[\"live-restore\"]\n");
  CHECK(fleet.port.acts == 0);

  // Decided, the same migration goes on; the change of document is shown.
  fleet.file.document["machines"]["dogwood"]["settings"] = {{"docker", {{"keep", {"live-restore"}}}}};
  CHECK(fleet.run()->kind == Kind::done);
  CHECK(fleet.listener.told.find("machines.dogwood.settings: added") != std::string::npos);
  CHECK(fleet.at("dogwood").file_text.find("\"live-restore\": false") != std::string::npos);
}

TEST_CASE("a file that no engine takes stops the fleet in step 1, naming it, and nothing is pushed", "[migrate]") {
  Fleet fleet;
  fleet.port.machines.at("cedar").file_text = "{} oops";
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind != Kind::done);
  CHECK(outcome->text.find("/etc/docker/daemon.json:1:4") != std::string::npos);
  for (auto& [name, machine] : fleet.port.machines) CHECK(machine.hand_overs() == 0);
}

TEST_CASE("an unreachable machine is named, the others are read, nothing is pushed, and a later run goes on",
          "[migrate]") {
  Fleet fleet;
  fleet.at("cedar").silent = true;
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::silent);
  CHECK(outcome->text.find("nobody listens on mesh.cedar.host.ask") != std::string::npos);
  CHECK(fleet.ledger().find("1 cedar failed\n1 dogwood done") != std::string::npos);
  CHECK(fleet.port.acts == 0);
  CHECK(outcome->document["next"] ==
        "look at cedar, where step 1 (read-configs) failed, then berth migrate run; berth migrate set-aside --machine cedar "
        "--reason WHY goes on without it");
  fleet.at("cedar").silent = false;
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a machine that failed keeps nothing, no new machine begins, and the next run does it again",
          "[migrate]") {
  Fleet fleet;
  fleet.file.document["max_parallel"] = 1;
  fleet.at("birch").push_fails = true;
  const auto before = fleet.at("birch").file_text;
  const auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::failed);
  CHECK(outcome->text.find("docker.daemon: the engine refused the file; given back") != std::string::npos);
  CHECK(fleet.at("birch").file_text == before);
  CHECK(fleet.ledger().find("2 alder done\n2 birch failed\n2 cedar pending") != std::string::npos);
  CHECK(fleet.run()->kind == Kind::done);
  CHECK(fleet.at("birch").hand_overs() == 2);
}

TEST_CASE("a container that was restarted fails the proof, naming it", "[migrate]") {
  Fleet fleet;
  fleet.at("birch").restarts_a_container = true;
  const auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::failed);
  CHECK(outcome->text.find("birch: restarted: web") != std::string::npos);
}

TEST_CASE("a key that waits for the engine's next start is told in the proof, also one that goes",
          "[migrate]") {
  Fleet fleet;
  fleet.at("birch").waits = {"dns"};
  const auto outcome = fleet.run(2);
  REQUIRE(outcome->kind == Kind::done);
  CHECK(proof_of(fleet, "birch", 2)["keys"]["waiting"] == Json::array({"dns"}));
  CHECK(proof_of(fleet, "alder", 2)["keys"]["waiting"] == Json::array());
}

TEST_CASE("a canary whose new host fails keeps every other machine on the old one", "[migrate]") {
  Fleet fleet;
  fleet.at("alder").release_fails = true;
  const auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::failed);
  CHECK(outcome->text.find("the new host did not start and was switched back") != std::string::npos);
  for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
    CHECK(fleet.at(machine).version() == "1.0.0");
  CHECK(fleet.ledger().find("4 alder failed\n4 birch pending\n4 cedar pending\n4 dogwood pending") !=
        std::string::npos);
}

TEST_CASE("a stop asked for ends the run between machines, and the next run goes on from there",
          "[migrate]") {
  Fleet fleet;
  fleet.file.document["max_parallel"] = 1;
  int plans = 0;  // step 1 asks each of the four machines for one, step 2 each again
  fleet.port.before_ask = [&](const std::string&, const std::string& what) {
    if (what == "plan" && ++plans == 4 + 2) fleet.stop.request_stop();
  };
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::stopped);
  CHECK(fleet.ledger().find("2 alder done\n2 birch done\n2 cedar pending") != std::string::npos);
  fleet.stop = std::stop_source{};
  fleet.port.before_ask = nullptr;
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("plan shows the difference and what is undecided, and changes neither store nor machines",
          "[migrate]") {
  Fleet fleet;
  fleet.file.document["machines"]["dogwood"].erase("settings");
  const auto outcome = fleet.plan();
  REQUIRE(outcome.ok());
  INFO(outcome->text);
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("+++ /etc/docker/daemon.json") != std::string::npos);
  CHECK(outcome->text.find("gives back dnsmasq.daemon") != std::string::npos);
  CHECK(outcome->text.find("put one of these under machines.dogwood.settings.docker") != std::string::npos);
  CHECK(fleet.port.acts == 0);
  CHECK(fleet.port.leases.empty());
  CHECK(fleet.ledger() == "");
}

TEST_CASE("a switch whose end no runner saw is proved by the reports there are, and knows what ran before", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  // An attempt that lost patience: the host runs the release and, being unchanged, says nothing new of it.
  REQUIRE(fleet.at("alder").answer({{"what", "release"}, {"action", "switch"}, {"version", "1.1.0"}, {"token", 1}}).ok());
  const auto outcome = fleet.run(4);
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE(outcome->kind == Kind::done);
  CHECK(proof_of(fleet, "alder", 4)["previous"] == "1.0.0");
  CHECK(proof_of(fleet, "alder", 4)["report"]["host_version"] == "1.1.0");
  REQUIRE(fleet.back_out(4, "alder")->kind == Kind::done);
  CHECK(fleet.at("alder").version() == "1.0.0");
}
