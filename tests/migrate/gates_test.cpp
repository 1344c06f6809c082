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
  CHECK(outcome.error().code == Errc::busy);
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
