#include "migrate/lock.h"
#include "migrate/migrate.h"
#include "tests/cli/fleet_world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

TEST_CASE("the fleet document is imported whole, and shown", "[cli][nats]") {
  FleetDesk w;
  CHECK_THAT(w.fleet({"catalogue", "check"}).out, Contains("is sound") && Contains("3 machines"));
  CHECK_FALSE(std::filesystem::exists(w.file));  // a check makes nothing
  CHECK_THAT(w.fleet({"catalogue", "import"}).out, Contains("imported fleet mesh"));
  const auto rows = w.json({"catalogue", "show"});
  REQUIRE(rows.size() == 3);
  CHECK(rows[0]["machine"] == "alder");
  CHECK(rows[0]["module"] == "docker");
  CHECK(rows[0]["holds"].is_null());
  CHECK(w.json({"machines"})[1]["modules"] == "docker");
}

TEST_CASE("a wrong fleet document is refused naming file and member, and nothing changes", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  const auto before = w.json({"catalogue", "show"});
  const auto says = [&](const std::string& text) {
    w.write();
    const auto said = w.fleet({"catalogue", "import"});
    CHECK(said.status != 0);
    CHECK_THAT(said.err, Contains(text));
    CHECK(std::count(said.err.begin(), said.err.end(), '\n') == 1);
    CHECK(w.json({"catalogue", "show"}) == before);
  };
  SECTION("an unknown member") {
    w.document["machines"]["alder"]["colour"] = "red";
    says("colour");
  }
  SECTION("an unknown module") {
    w.document["machines"]["alder"]["modules"] = {"docker", "warp-drive"};
    says("warp-drive");
  }
  SECTION("an account that is more than a name") {
    w.document["machines"]["alder"]["account"] = "root\nExecStartPre=/bin/true";
    says("machines.alder.account");
  }
  SECTION("a file that is not there") {
    w.fleet_file = w.folder / "none.json";
    const auto said = w.fleet({"catalogue", "import"});
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("none.json"));
  }
}

TEST_CASE("a module is assigned and taken away", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  CHECK(w.berth({"assign", "dnsmasq", "birch"}).status == 0);
  CHECK(w.json({"machines"})[1]["modules"] == "dnsmasq docker");
  CHECK(w.berth({"unassign", "dnsmasq", "birch"}).status == 0);
  CHECK(w.json({"machines"})[1]["modules"] == "docker");
  const auto wrong = w.berth({"assign", "warp-drive", "birch"});
  CHECK(wrong.status != 0);
  CHECK_THAT(wrong.err, Contains("warp-drive"));
}

TEST_CASE("a module that is assigned again keeps the settings that the document gives it", "[cli][nats]") {
  FleetDesk w;
  w.document["machines"]["birch"]["settings"] = {{"docker", {{"live-restore", true}}}};
  w.write();
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  const auto before = w.json({"catalogue", "show"});
  CHECK(w.berth({"assign", "docker", "birch"}).status == 0);
  CHECK(w.json({"catalogue", "show"}) == before);
}

TEST_CASE("an import names the grants that it takes back, and a grant says in words what it reaches", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  CHECK_THAT(w.fleet({"grant", "joe", "stop", "*", "--machine", "alder"}).out, Contains("joe may call stop, every reading verb on alder;"));
  const auto again = w.fleet({"catalogue", "import"});
  CHECK_THAT(again.out, Contains("taken back, for the document does not grant it: joe stop on alder"));
  CHECK_THAT(w.fleet({"catalogue", "import"}).out, !Contains("taken back"));
}

TEST_CASE("a machine is set aside with a reason, and never brought in by an empty one", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  const auto said = w.fleet({"migrate", "set-aside", "--machine", "alder", "--reason", " "});
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("--reason"));
}

TEST_CASE("migrate status is a listing for programs too, and --output csv is never passed over", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  CHECK(w.fleet({"--output", "csv", "migrate", "status"}).out == "machine,step,name,state,attempt,set_aside,error\r\n");
  const auto others = w.bus().subscribe("mesh.*.host.ask", [&](bus::Message asked) {
    (void)w.bus().publish({asked.reply, "", {}, R"({"machine": "oak", "machine_id": "ffffffffffffffffffffffffffffffff"})"});
  });
  REQUIRE(w.fleet({"migrate", "run", "--yes", "--to-step", "1"}).status == 3);  // other machines than are meant
  CHECK(w.fleet_json({"migrate", "set-aside", "--machine", "birch", "--reason", "its disk, \"sda\""}) ==
        Json::array({{{"machine", "birch"}, {"set_aside", "its disk, \"sda\""}}}));
  const auto csv = w.fleet({"--output", "csv", "migrate", "status"}).out;
  CHECK_THAT(csv, Contains("birch,1,read-configs,failed,1,\"its disk, \"\"sda\"\"\",\"gate: "));
  CHECK_THAT(csv, Contains("cedar,5,remove-cli-path,pending,0,,\r\n"));
  const auto document = w.fleet_json({"migrate", "status"});
  CHECK(document["machines"]["birch"]["set_aside"] == "its disk, \"sda\"");
  CHECK(document["machines"]["cedar"]["steps"]["1"]["state"] == "failed");
  CHECK(w.fleet({"--output", "csv", "migrate", "plan"}).status == 2);
}

TEST_CASE("a second runner is refused by a rule: exit status 3, and it says who runs", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  const auto held = migrate::RunnerLock::take(migrate::lock_path(w.file), "somebody@desk");
  REQUIRE(held.ok());
  const auto said = w.fleet({"migrate", "run", "--yes"});
  CHECK(said.status == 3);
  CHECK_THAT(said.err, Contains("somebody@desk (process "));
}

TEST_CASE("a push to a machine that the fleet does not have is a mistyped word, and asks nobody", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  w.broker.stop();
  const auto said = w.fleet({"push", "nosuch"});
  CHECK(said.status == 2);
  CHECK_THAT(said.err, Contains("nosuch is no machine of " + w.fleet_file.native()));
}

TEST_CASE("grants are listed, given, taken, and rendered for the broker", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  CHECK(w.berth({"grant", "alice", "stop", "start", "--machine", "alder"}).status == 0);
  const auto has = [&](const std::string& verb) {
    for (const auto& row : w.json({"grants", "list"})) {
      if (row["caller"] == "alice" && row["verb"] == verb) return true;
    }
    return false;
  };
  CHECK(has("stop"));
  CHECK(has("start"));
  CHECK(w.berth({"revoke", "alice", "stop", "--machine", "alder"}).status == 0);
  CHECK_FALSE(has("stop"));
  CHECK(has("start"));
  const auto refused = w.berth({"grant", "alice", "inspect", "no-such-verb", "--machine", "alder"});
  CHECK(refused.status == 2);
  CHECK_FALSE(has("inspect"));  // all of them or none
  const auto rendered = w.berth({"grants", "render"});
  CHECK(rendered.status == 0);
  CHECK(w.json({"grants", "render"})["permissions"] == Json(rendered.out));
  CHECK_THAT(rendered.out, Contains("authorization") && Contains("holder-alder") && Contains("$OPERATOR_PASSWORD"));
}

TEST_CASE("migrate asks before it changes machines, and says where it stands", "[cli][nats]") {
  FleetDesk w;
  REQUIRE(w.fleet({"catalogue", "import"}).status == 0);
  const auto unasked = w.fleet({"migrate", "run"});
  CHECK(unasked.status == 2);
  CHECK_THAT(unasked.err, Contains("--yes"));
  CHECK(w.fleet({"migrate", "back-out", "--yes"}).status == 2);  // which step?
  CHECK(w.fleet({"migrate", "run", "--to-step", "6", "--yes"}).status == 2);
  CHECK(w.berth({"migrate", "status"}).status == 2);  // of which fleet?
  CHECK(w.fleet({"migrate", "status"}).status == 0);
  w.broker.stop();
  CHECK(w.fleet({"migrate", "run", "--yes"}).status == 4);
}
