#include "base/json.h"
#include "catch.h"
#include "migrate/ledger.h"
#include "migrate/lock.h"
#include "tests/migrate/fake_fleet.h"

using berth::Errc;
using berth::Json;
using berth::test::Fleet;
using berth::test::FleetFile;
using Kind = berth::migrate::Outcome::Kind;

TEST_CASE("a second runner on the same store is refused and told who holds it", "[migrate]") {
  Fleet fleet;
  fleet.open_store();
  const auto held =
      berth::migrate::RunnerLock::take(berth::migrate::lock_path(fleet.store_path()), "somebody@desk");
  REQUIRE(held.ok());
  const auto outcome = fleet.run();
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code == Errc::stale);
  CHECK(outcome.error().detail.find("somebody@desk (process ") != std::string::npos);
  CHECK(fleet.port.acts == 0);
  CHECK(fleet.port.leases.empty());
}

TEST_CASE("a runner whose lease was claimed by another stops before its next machine, naming the other",
          "[migrate]") {
  Fleet fleet;
  int hand_overs = 0;
  fleet.port.before_ask = [&](const std::string&, const std::string& what) {
    if (what != "plan" || ++hand_overs != 2) return;
    const Json other = {
        {"fleet", "mesh"}, {"runner", "other@laptop"}, {"token", 99}, {"at", "2026-01-02T03:04:06Z"}};
    REQUIRE(fleet.port.claim_lease(other.dump(), fleet.port.leases.back().sequence).ok());
  };
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind != Kind::done);
  CHECK(outcome->text.find("held by another runner: other@laptop (token 99)") != std::string::npos);
  CHECK(fleet.at("cedar").accepted() == 0);
  CHECK(fleet.ledger().find("2 cedar pending") != std::string::npos);  // nothing is wrong with it
  fleet.port.before_ask = nullptr;
  CHECK(fleet.run()->kind == Kind::done);
  CHECK(fleet.listener.told.find(
            "the lease was last held by other@laptop (token 99); it is operator@desk's now (token 100)") !=
        std::string::npos);
}

TEST_CASE("the fencing token is above every one that a host has seen", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.port.leases.clear();  // the broker's store was lost, and this operator's too
  std::filesystem::remove(fleet.store_path());
  std::filesystem::remove(fleet.store_path().native() + "-wal");
  std::filesystem::remove(fleet.store_path().native() + "-shm");
  (void)fleet.run(1);
  REQUIRE(fleet.port.leases.size() == 1);
  CHECK(Json::parse(fleet.port.leases[0].text)["token"] == 2);
  CHECK(fleet.listener.told.find("the fleet was led from another store before (token 1), which this one knows nothing of") != std::string::npos);
}

TEST_CASE("a machine that was handed over from a store that is lost is neither read nor handed over again, and plan says so",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  const auto accepted = fleet.at("birch").accepted();
  for (const auto* tail : {"", "-wal", "-shm"}) std::filesystem::remove(fleet.store_path().native() + tail);
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
    CHECK(outcome->text.find(std::string{machine} + " was handed over before (push ") != std::string::npos);
  CHECK(outcome->text.find("berth store rebuild") != std::string::npos);
  CHECK(fleet.at("birch").accepted() == accepted);
  const auto planned = fleet.plan();
  REQUIRE(planned.ok());
  CHECK(planned->text.find("birch was handed over before (push ") != std::string::npos);
  CHECK(planned->kind == Kind::refused);
}

TEST_CASE("a replaced machine stops itself alone", "[migrate]") {
  Fleet fleet;
  fleet.at("cedar").machine_id = std::string(32, 'f');
  const auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("cedar is another machine than the fleet document means") != std::string::npos);
  CHECK(fleet.ledger().find("1 alder done\n1 birch done\n1 cedar failed\n1 dogwood done") !=
        std::string::npos);
}

TEST_CASE("a machine whose engine does not answer is not read in step 1, and nothing is said of its containers; the others are read",
          "[migrate]") {
  Fleet fleet;
  fleet.at("birch").engine_answers = false;
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::silent);
  CHECK(outcome->text.find("birch: /run/docker.sock: connection refused") != std::string::npos);
  CHECK(fleet.ledger().find("1 alder done\n1 birch failed\n1 cedar done\n1 dogwood done") != std::string::npos);
  CHECK(fleet.port.acts == 0);
  {
    auto store = fleet.open_store();
    const auto said = store.table("SELECT error FROM step_run WHERE step = 1 AND machine = 'birch'", {});
    CHECK(std::get<std::string>(said->rows.at(0).at(0)) == "gate: engine_unreachable: /run/docker.sock: connection refused");
    CHECK(store.table("SELECT 1 FROM container WHERE machine = 'birch'", {})->rows.empty());
    CHECK(store.table("SELECT 1 FROM config_snapshot WHERE machine = 'birch'", {})->rows.empty());
  }
  fleet.at("birch").engine_answers = true;
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a machine where nobody holds the seat keeps its release in step 4, and the others go on", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  fleet.at("birch").hold_seat(false);
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("birch: birch's seat is not held") != std::string::npos);
  CHECK(fleet.ledger().find("4 alder done\n4 birch failed\n4 cedar done\n4 dogwood done") != std::string::npos);
  CHECK(fleet.at("birch").version() == "1.0.0");
  CHECK(fleet.at("cedar").version() == "1.1.0");  // and not step 5's: that waits for birch
  fleet.at("birch").hold_seat(true);
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a machine that has changed since step 1 is not handed over, and can be read again", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  fleet.at("birch").file_text += " ";
  const auto outcome = fleet.run(2);
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("birch's engine file has changed since step 1 read it") != std::string::npos);
  CHECK(fleet.at("birch").accepted() == 0);
  REQUIRE(fleet.back_out(1, "birch")->kind == Kind::done);
  CHECK(fleet.run(2)->kind == Kind::done);
}

TEST_CASE("a holder that lacks a verb of the seat is refused, naming it", "[migrate]") {
  Fleet fleet;
  fleet.at("birch").lacking_verbs = {"restart"};
  const auto outcome = fleet.run();
  CHECK(outcome->text.find("birch's holder does not serve restart") != std::string::npos);
  CHECK(outcome->kind == Kind::refused);
  CHECK_FALSE(fleet.at("birch").seat_held());
  CHECK(fleet.ledger().find("3 birch failed") != std::string::npos);
}

TEST_CASE("step 5 is refused while any holder does not answer, naming the machine, and switches none",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  fleet.at("cedar").holder_answers = false;
  auto outcome = fleet.run(5);
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find(
            "cedar: its holder does not answer: connect /run/berth/holder.sock: connection refused") !=
        std::string::npos);
  for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
    CHECK(fleet.at(machine).version() == "1.1.0");

  fleet.at("cedar").holder_answers = true;
  fleet.at("birch").report_path("cli");
  fleet.at("birch").report_path("holder");
  outcome = fleet.run(5);
  CHECK(outcome->text.find("birch: a report since its release says path cli") != std::string::npos);
  CHECK(fleet.at("alder").version() == "1.1.0");
}

TEST_CASE("a machine set aside is named and keeps step 5 from every machine until it is brought in",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  const auto document = fleet.document();
  {
    auto store = fleet.open_store();
    CHECK(berth::migrate::set_aside(document, "elm", "x", store).error().code == Errc::not_found);
    CHECK(berth::migrate::set_aside(document, "cedar", "two\nlines", store).error().field == "reason");
    CHECK(berth::migrate::set_aside(document, "cedar", "", store).error().field == "reason");
    REQUIRE(berth::migrate::set_aside(document, "cedar", "its disk is being replaced", store).ok());
  }
  auto outcome = fleet.run();
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("cedar: it is set aside: its disk is being replaced") != std::string::npos);
  CHECK(fleet.at("alder").version() == "1.1.0");
  CHECK(fleet.at("cedar").accepted() == 0);
  {
    auto store = fleet.open_store();
    REQUIRE(berth::migrate::bring_in(document, "cedar", store).ok());
  }
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("a changed fleet document goes on only where no done step depends on the change", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  fleet.file.document["grants"][1]["verbs"] = {"start"};
  fleet.file.document["max_parallel"] = 3;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  CHECK(fleet.listener.told.find("max_parallel: 2 -> 3") != std::string::npos);

  fleet.file.document["machines"]["birch"]["settings"] = {{"docker", {{"live-restore", false}}}};
  const auto outcome = fleet.run();
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code == Errc::drift);
  CHECK(outcome.error().detail.find("machines.birch.settings: added {\"docker\":{\"live-restore\":false}} "
                                    "(step 2 of birch depends on it)") != std::string::npos);
  CHECK_FALSE(fleet.at("alder").seat_held());
}

TEST_CASE("a replaced machine is set aside, brought in under its new machine-id, and goes through every step again",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  const std::string another(32, '9');
  fleet.port.machines.erase("cedar");
  fleet.port.machines.emplace("cedar", berth::test::FakeMachine{"cedar", another, nullptr})
      .first->second.sequences = &fleet.port.sequences;
  auto outcome = fleet.run();
  CHECK(outcome->text.find("cedar is another machine than the fleet document means") != std::string::npos);
  // The document alone is not enough: what was done rests on the machine that was.
  fleet.file.document["machines"]["cedar"]["machine_id"] = another;
  auto refused = fleet.run();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().detail.find("(step 3 of cedar depends on it)") != std::string::npos);
  {
    auto store = fleet.open_store();
    REQUIRE(berth::migrate::set_aside(fleet.document(), "cedar", "its board burnt", store).ok());
  }
  const auto others = fleet.at("birch").accepted();
  SECTION("the others go on meanwhile") {
    outcome = fleet.run();
    CHECK(fleet.listener.told.find("(another machine: its steps begin anew)") != std::string::npos);
    CHECK(outcome->kind == Kind::refused);  // step 5 waits for it
  }
  SECTION("it is brought in at once") {}
  {
    auto store = fleet.open_store();
    REQUIRE(berth::migrate::bring_in(fleet.document(), "cedar", store).ok());
  }
  outcome = fleet.run();
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  CHECK(fleet.at("cedar").hand_overs() == 1);
  CHECK(fleet.at("cedar").seat_held());
  CHECK(fleet.at("birch").accepted() == others);  // the others were asked for nothing more
}

TEST_CASE("a machine keeps its name through a migration; another name for it is refused naming both", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(1)->kind == Kind::done);
  auto& machines = fleet.file.document["machines"];
  machines["beech"] = machines["birch"];
  machines.erase("birch");
  const auto outcome = fleet.run();
  REQUIRE_FALSE(outcome.ok());
  CHECK(outcome.error().code == Errc::drift);
  CHECK(outcome.error().field == "machines.beech.machine_id");
  CHECK(outcome.error().detail.find("is that of birch in this migration") != std::string::npos);
  CHECK(fleet.port.acts == 0);
}

TEST_CASE("a machine that answers under another name stops itself alone, and status says so in one screen", "[migrate]") {
  Fleet fleet;
  fleet.at("cedar").answers_as = "oak";
  const auto outcome = fleet.run(1);
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("cedar is another machine than the fleet document means: it is oak") != std::string::npos);
  CHECK(fleet.ledger().find("1 dogwood done") != std::string::npos);
  auto store = fleet.open_store();
  const auto status = berth::migrate::status(fleet.document(), store);
  REQUIRE(status.ok());
  CHECK(std::count(status->text.begin(), status->text.end(), '\n') < 24);
  CHECK(status->text.find("look at cedar, where step 1 (read-configs) failed") != std::string::npos);
}

TEST_CASE("the status of many machines is one screen: who is in the way, and how many others", "[migrate]") {
  Fleet fleet;
  for (int i = 10; i < 60; ++i) {
    const auto name = "m" + std::to_string(i);
    auto like = fleet.file.document["machines"]["cedar"];
    like["machine_id"] = std::string(30, '0') + std::to_string(i);
    fleet.port.machines.emplace(name, berth::test::FakeMachine{name, like["machine_id"], nullptr})
        .first->second.sequences = &fleet.port.sequences;
    fleet.file.document["machines"][name] = like;
  }
  fleet.at("m33").silent = true;
  const auto outcome = fleet.run(1);
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::silent);
  auto store = fleet.open_store();
  const auto text = berth::migrate::status(fleet.document(), store)->text;
  CAPTURE(text);
  CHECK(std::count(text.begin(), text.end(), '\n') <= 24);
  CHECK(text.find("1 read-configs      done 53, failed 1") != std::string::npos);
  CHECK(text.find("    step 1: gate: ") != std::string::npos);
  CHECK(text.find("  and 53 more; --output json or csv lists each") != std::string::npos);
  CHECK(text.find("next: look at m33") != std::string::npos);
}

TEST_CASE("step 5 refuses with every machine that is in its way and the reason of each, and switches none; then only "
          "what is left is touched",
          "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(4)->kind == Kind::done);
  const auto document = fleet.document();
  {
    auto store = fleet.open_store();
    REQUIRE(berth::migrate::set_aside(document, "birch", "its disk is full", store).ok());
  }
  fleet.at("alder").silent = true;
  fleet.at("cedar").holder_answers = false;
  fleet.at("dogwood").report_path("cli");
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->document["why"] ==
        "the command-line path cannot be removed yet, from any machine:\n"
        "  alder: nobody listens on mesh.alder.host.ask\n"
        "  birch: it is set aside: its disk is full\n"
        "  cedar: its holder does not answer: connect /run/berth/holder.sock: connection refused\n"
        "  dogwood: its newest report says path cli");
  CHECK(outcome->text.find("  birch           ") != std::string::npos);
  CHECK(outcome->text.find("set aside: its disk is full") != std::string::npos);
  CHECK(std::count(outcome->text.begin(), outcome->text.end(), '\n') <= 24);
  for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
    CHECK(fleet.at(machine).version() == "1.1.0");
}
