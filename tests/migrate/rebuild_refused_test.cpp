// Where a store is not made anew, or not of every machine.
#include <fstream>

#include "base/file.h"
#include "tests/migrate/losing.h"

using berth::Errc;
using berth::test::all_lost;
using berth::test::is_done;
using berth::test::Losing;
using Kind = berth::migrate::Outcome::Kind;

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

TEST_CASE("a store rebuilt without a machine sets it aside; brought in, it is not handed over twice, and a store made anew has it",
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
  CHECK(outcome->kind == Kind::refused);
  CHECK(outcome->text.find("cedar was handed over before") != std::string::npos);
  CHECK(fleet.at("birch").accepted() == accepted);
  CHECK(fleet.at("cedar").hand_overs() == 1);
  fleet.lose();
  is_done(fleet.rebuild());
  outcome = fleet.run();
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  CHECK(fleet.at("cedar").hand_overs() == 1);
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

TEST_CASE("a machine named to go on without must be one of the fleet's", "[migrate][rebuild]") {
  Losing fleet;
  const auto refused = fleet.rebuild({"elm"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().field == "machine");
  CHECK_FALSE(fleet.has_store());
}
