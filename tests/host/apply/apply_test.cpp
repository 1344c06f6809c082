#include <algorithm>
#include <set>

#include "store/outbox.h"
#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

Json file_resource(const std::string& id, const std::string& content) {
  return {
      {"id", id}, {"type", "file"}, {"path", "/etc/" + id + ".conf"}, {"mode", "0644"}, {"content", content}};
}
Json module_of(const std::string& name, Json resources) {
  return {
      {"name", name}, {"assignment", name}, {"claims", Json::array()}, {"resources", std::move(resources)}};
}
std::string action_of(const Json& report, const std::string& id) {
  for (const auto& one : report["resources"]) {
    if (one["id"] == id) return one["action"];
  }
  return "none";
}

}  // namespace

TEST_CASE(
    "an ordinary push goes resource by resource: one that fails is reported, the others are made, and it is "
    "tried again") {
  Birch birch;
  const auto report = birch.carry_out(
      birch.push("apply", {module_of("net", {file_resource("first", "1\n"),
                                             {{"id", "tool"}, {"type", "package"}, {"name", "missing"}},
                                             file_resource("last", "2\n")})}));
  CHECK(report["result"] == "failed");
  CHECK(action_of(report, "net.first") == "created");
  CHECK(action_of(report, "net.tool") == "failed");
  CHECK(action_of(report, "net.last") == "created");
  CHECK(birch.state_of("p1") == "failed");
  birch.room.packages.offered["missing"] = "1";
  must(birch.host().applier.again());
  CHECK(birch.room.packages.versions.contains("missing"));
  CHECK(birch.state_of("p1") == "applied");
}

TEST_CASE("what is given back is byte for byte what was found, also after a change of the declaration") {
  Birch birch;
  birch.room.root.put("/etc/first.conf", "by hand\r\n", 0600);
  const auto before = birch.room.root.tree();
  birch.carry_out(birch.push("apply", {module_of("net", {file_resource("first", "1\n")})}));
  birch.carry_out(
      birch.push("apply", {module_of("net", {file_resource("first", "2\n"), file_resource("last", "x")})}));
  CHECK(birch.room.root.read("/etc/first.conf") == "2\n");
  const auto report =
      birch.carry_out(birch.push("apply", Json::array(), {{"give_back", {"net.first", "net.last"}}}));
  CHECK(action_of(report, "net.first") == "given_back");
  CHECK(birch.room.root.tree() == before);
  CHECK(birch.records().empty());
}

TEST_CASE(
    "somebody's change by hand is undone at the next apply, and an apply with nothing to do writes nothing") {
  Birch birch;
  birch.carry_out(birch.push("apply", {module_of("net", {file_resource("first", "1\n")})}));
  const auto records = birch.record("net.first");
  must(birch.host().applier.again());
  CHECK(birch.record("net.first") == records);
  birch.room.root.put("/etc/first.conf", "changed");
  must(birch.host().applier.again());
  CHECK(birch.room.root.read("/etc/first.conf") == "1\n");
}

TEST_CASE("followers of a change act once, after all resources, and not again") {
  Birch birch;
  birch.room.units.add("resolver.service", "active", "enabled");
  const Json follower = {
      {"id", "run"},     {"type", "service"}, {"unit", "resolver.service"},
      {"running", true}, {"enabled", true},   {"on_change", {{"of", {"first", "last"}}, {"do", "restart"}}}};
  const auto module = [&](const std::string& text) {
    return module_of("net", {file_resource("first", text), follower, file_resource("last", text)});
  };
  birch.carry_out(birch.push("apply", {module("1")}));
  const auto restarts = [&] { return std::ranges::count(birch.room.units.acts, "restart resolver.service"); };
  CHECK(restarts() == 1);
  must(birch.host().applier.again());
  CHECK(restarts() == 1);
  birch.carry_out(birch.push("apply", {module("2")}));
  CHECK(restarts() == 2);
}

TEST_CASE(
    "carried records keep their bare ids beside a module's, and undeclaring the module leaves the engine "
    "running") {
  Birch birch;
  must(birch.host().applier.bootstrap(
      {{"fleet", "mesh"},
       {"machine", "birch"},
       {"resources",
        {{{"id", "container-runtime"}, {"type", "package"}, {"name", "docker.io"}},
         {{"id", "container-runtime-running"},
          {"type", "service"},
          {"unit", "docker.service"},
          {"running", true},
          {"enabled", true}}}}}));
  birch.carry_out(birch.push("apply", {docker()}));
  CHECK(birch.record("container-runtime-running")["origin"] == "carried");
  CHECK(birch.record("docker.runtime")["origin"] == "declared");
  birch.carry_out(birch.push("apply", Json::array(),
                             {{"give_back", {"docker.package", "docker.daemon", "docker.runtime"}}}));
  CHECK(birch.room.units.unit("docker.service").active == "active");
  CHECK(birch.room.packages.versions.contains("docker.io"));
  CHECK_FALSE(birch.room.root.has(kFile));
  CHECK(birch.record("container-runtime")["origin"] == "carried");
  CHECK(birch.record("docker.runtime").is_null());
}

TEST_CASE("every apply says what it did: report and outbox are one, numbered by the store") {
  Birch birch;
  const auto report =
      birch.carry_out(birch.push("apply", {module_of("net", {file_resource("first", "1\n")})}));
  CHECK(report["machine"] == "birch");
  CHECK(report["store"] == birch.host().store.id());
  CHECK(report["push_id"] == "p1");
  CHECK(report["result"] == "converged");
  CHECK(report["path"] == "cli");
  CHECK(report["cli_path"] == "present");
  CHECK(report["seat"]["name"] == "node-container-runtime");
  CHECK(report["seat"]["answering"] == false);
  const auto queued = must(store::oldest_messages(birch.host().store, 10));
  REQUIRE(queued.size() == 1);
  CHECK(queued[0].subject == "mesh.birch.host.report");
  CHECK(queued[0].message_id ==
        "birch:" + birch.host().store.id() + ":" + std::to_string(report["seq"].get<std::int64_t>()));
  CHECK(must(parse_json(queued[0].body, "x")) == report);
}

TEST_CASE("a disk that fills before the intended row is durable keeps the act from beginning") {
  Birch birch;
  const auto body = birch.push("apply", {module_of("net", {file_resource("first", "1\n")})});
  must(birch.host().applier.take(body));
  // Count the commits before the file is touched, then let the last of these fail.
  birch.room.seam.acts.clear();
  must(birch.host().applier.work());
  const auto touched = std::ranges::find_if(birch.room.seam.acts,
                                            [](const std::string& act) { return act.starts_with("file."); });
  REQUIRE(touched != birch.room.seam.acts.end());
  const auto nth = static_cast<int>(touched - birch.room.seam.acts.begin());
  REQUIRE(birch.room.seam.acts[static_cast<std::size_t>(nth - 1)] == "store.commit");

  Birch full;
  must(full.host().applier.take(full.push("apply", {module_of("net", {file_resource("first", "1\n")})})));
  const auto tree = full.room.root.tree();
  full.room.seam.acts.clear();
  full.room.seam.fail_at = nth;
  static_cast<void>(full.host().applier.work());
  CHECK(full.room.root.tree() == tree);
  full.room.seam.calm();
  must(full.host().applier.again());
  CHECK(full.room.root.read("/etc/first.conf") == "1\n");
}

TEST_CASE("a push with confirm_s is given back unless it is confirmed in time") {
  Birch birch;
  birch.room.root.put("/etc/first.conf", "old\n");
  const auto before = birch.room.root.tree();
  const auto body =
      birch.push("apply", {module_of("net", {file_resource("first", "new\n")})}, {{"confirm_s", 60}});
  must(birch.host().applier.take(body));
  must(birch.host().applier.work());
  CHECK(birch.room.root.read("/etc/first.conf") == "new\n");
  CHECK(birch.state_of("p1") == "accepted");
  REQUIRE(birch.host().applier.confirm_by());
  CHECK(birch.host().applier.take(birch.push("apply", Json::array())).error().code == Errc::busy);

  SECTION("not confirmed: all of it goes back, also when the host was started again meanwhile") {
    birch.die();
    birch.room.clock.advance(std::chrono::seconds{61});
    must(birch.host().applier.start());
    CHECK(birch.state_of("p1") == "failed");
    CHECK(birch.room.root.tree() == before);
    CHECK(birch.records().empty());
    must(birch.host().applier.again());
    CHECK(birch.room.root.tree() == before);
    CHECK_FALSE(birch.host().applier.confirm("p1").ok());
  }
  SECTION("confirmed: it stays") {
    CHECK(must(birch.host().applier.confirm("p1"))["confirmed"] == true);
    birch.room.clock.advance(std::chrono::seconds{61});
    must(birch.host().applier.again());
    CHECK(birch.state_of("p1") == "applied");
    CHECK(birch.room.root.read("/etc/first.conf") == "new\n");
    CHECK(must(birch.host().applier.confirm("p1"))["confirmed"] == true);
  }
}

TEST_CASE("an orphan goes if our own history says we made it; another owner's labelled container stays") {
  Birch birch;
  const Json module = {{"name", "shop"},
                       {"assignment", "shop"},
                       {"claims", Json::array()},
                       {"resources",
                        {{{"id", "app"},
                          {"type", "container"},
                          {"spec", {{"name", "app"}, {"image", "berth-practice:1"}, {"assignment", "shop"}}}}}}};
  birch.carry_out(birch.push("apply", {module}));
  birch.add_container("theirs", "shop");  // the same label, by another hand
  auto changed = module;
  changed["resources"][0]["spec"]["environment"] = {{"A", "1"}};
  birch.engine.keeps_replaced = true;
  const auto report = birch.carry_out(birch.push("apply", {changed}));
  CAPTURE(report.dump());
  const auto names = [&] {
    std::set<std::string> all;
    for (const auto& one : birch.engine.containers) all.insert(one.name);
    return all;
  };
  CHECK(names() == std::set<std::string>{"app", "stray", "theirs", "web"});
  CHECK(report["resources"].dump().find("removed the orphan") != std::string::npos);
  must(birch.host().applier.again());
  CHECK(names() == std::set<std::string>{"app", "stray", "theirs", "web"});
}

TEST_CASE("an apply of many containers asks for their list once") {
  Birch birch;
  Json resources = Json::array();
  for (int i = 0; i < 20; ++i) {
    const auto name = "c" + std::to_string(i);
    resources.push_back({{"id", name},
                         {"type", "container"},
                         {"spec", {{"name", name}, {"image", "berth-practice:1"}, {"assignment", "many"}}}});
  }
  birch.carry_out(birch.push("apply", {{{"name", "many"}, {"assignment", "many"}, {"claims", Json::array()}, {"resources", resources}}}));
  birch.engine.lists = 0;
  must(birch.host().applier.again());
  CHECK(birch.engine.lists == 1);
}
