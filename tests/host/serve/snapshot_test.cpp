#include "host/serve/snapshot.h"

#include <algorithm>

#include "host/apply/preview.h"
#include "host/serve/asks.h"
#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

Json take(Birch& birch) { return must(host::serve::snapshot(*birch.site, birch.host().store, false)); }

std::string owner_of(const Json& snapshot, const std::string& key) {
  for (const auto& row : snapshot["keys"]) {
    if (row["key"] == key) return row["owner"];
  }
  return "none";
}

Result<Json> ask(Birch& birch, const Json& request) {
  const host::release::Places places;
  host::serve::Asked asked{*birch.site, birch.host().store, &birch.host().applier, places,
                           "2026-01-02T03:04:05Z"};
  const auto row = host::serve::find_ask(request);
  if (!row) return row.error();
  return (*row)->answer(asked, request);
}

}  // namespace

TEST_CASE("a snapshot has the file's bytes, who set each key, and every container with its process") {
  Birch birch;
  seed(birch);
  const auto snapshot = take(birch);
  CHECK(snapshot["machine_id"] == kMachineId);
  CHECK(snapshot["file"]["text"] == birch.file());
  CHECK(snapshot["file"]["sha256"] == sha256_hex(birch.file()));
  CHECK(snapshot["file"]["mode"] == "0644");
  CHECK(owner_of(snapshot, "live-restore") == "dnsmasq.daemon");
  CHECK(owner_of(snapshot, "insecure-registries") == "private-network.registry-trust");
  CHECK(owner_of(snapshot, "log-driver") == "hand");
  CHECK(snapshot["unit"]["text"].get<std::string>().find("ExecStart=/usr/sbin/dockerd -H fd://") !=
        std::string::npos);
  CHECK(snapshot["unit"]["sha256"] == sha256_hex(snapshot["unit"]["text"].get<std::string>()));
  CHECK(snapshot["packages"]["docker.io"] == "20.10.24");
  CHECK(snapshot["units"]["docker.service"] == Json{{"active", "active"}, {"enabled", "enabled"}});
  REQUIRE(snapshot["containers"].size() == 2);
  CHECK(snapshot["containers"][0]["pid"] == 100);
  CHECK(snapshot["containers"][0]["assignment"] == "web");
  CHECK(snapshot["containers"][1]["assignment"].is_null());
  CHECK(snapshot["records"].size() == 3);
}

TEST_CASE("what a snapshot hashes is what a push may expect") {
  Birch birch;
  seed(birch);
  const auto snapshot = take(birch);
  const Json expect = {{"file", snapshot["file"]["sha256"]},
                       {"unit", snapshot["unit"]["sha256"]},
                       {"flags", snapshot["flags"]["sha256"]}};
  CHECK(birch.carry_out(hand_over(birch, {{"expect", expect}}))["result"] == "converged");
}

TEST_CASE("a flag is told as a key's owner, a missing file as not there, a link by its target") {
  Birch birch;
  birch.room.units.unit_files["docker.service"][0].text =
      "[Service]\nExecStart=/usr/sbin/dockerd --mtu 1400\n";
  auto snapshot = take(birch);
  CHECK(owner_of(snapshot, "mtu") == "flag");
  CHECK(snapshot["file"]["exists"] == false);
  CHECK(snapshot["file"]["text"].is_null());
  birch.room.root.put("/srv/engine.json", "{}\n");
  std::filesystem::create_symlink("/srv/engine.json", birch.room.root.at(kFile));
  CHECK(take(birch)["file"]["target"].get<std::string>().find("srv/engine.json") != std::string::npos);
}

TEST_CASE("an engine or a service manager that does not answer is an error, never an empty snapshot") {
  Birch birch;
  birch.engine.down = true;
  CHECK_FALSE(host::serve::snapshot(*birch.site, birch.host().store, false).ok());
  birch.engine.down = false;
  birch.room.units.down = true;
  CHECK_FALSE(host::serve::snapshot(*birch.site, birch.host().store, false).ok());
}

TEST_CASE("a plan is the very file the push then leaves, and changes nothing") {
  Birch birch;
  seed(birch);
  const auto before = birch.file() + birch.records();
  const auto body = hand_over(birch);
  const auto plan = must(ask(birch, {{"what", "plan"}, {"push", body}}));
  CHECK(birch.file() + birch.records() == before);
  CHECK(birch.state_of("p2") == "unknown");
  birch.carry_out(body);
  CHECK(plan["file"]["text"] == birch.file());
  CHECK(plan["file"]["sha256"] == sha256_hex(birch.file()));
  auto half = birch.push("hand_over", {docker(), private_network()});
  CHECK(ask(birch, {{"what", "plan"}, {"push", half}}).error().code == Errc::collision);
}

TEST_CASE("a machine tells what it was sent, and how its file and records were before a push, whatever has come since") {
  Birch birch;
  seed(birch);
  const auto then = take(birch);
  const auto push = hand_over(birch);
  birch.carry_out(push);
  const auto file = birch.file();
  auto seat = birch.push("apply", {docker()}, {{"seat", seat_of_birch()}});
  birch.carry_out(seat);
  birch.put_file(R"({"edited": "since"})");

  const auto pushes = must(ask(birch, {{"what", "pushes"}}))["pushes"];
  REQUIRE(pushes.size() == 3);
  CHECK(pushes[0]["push_id"] == seat["push_id"]);
  CHECK(pushes[0]["seat_held"] == true);
  CHECK(pushes[1]["kind"] == "hand_over");
  CHECK(pushes[1]["state"] == "applied");
  CHECK(pushes[1]["seat_held"].is_null());
  CHECK(pushes[1]["restores"].is_null());
  CHECK(pushes[2]["kind"] == "apply");

  const auto before = must(ask(birch, {{"what", "before"}, {"push_id", push["push_id"]}}));
  CHECK(before["known"] == true);
  for (const auto* same : {"path", "exists", "text", "sha256"}) CHECK(before["file"][same] == then["file"][same]);
  CHECK(before["records"] == then["records"]);
  auto keys = then["keys"];
  std::erase_if(keys.get_ref<Json::array_t&>(), [](const Json& key) { return key["owner"] == "flag"; });
  CHECK(before["keys"] == keys);
  CHECK(before["after"]["text"] == file);
  // A push that did not touch the file tells it as it is now.
  const auto untouched = must(ask(birch, {{"what", "before"}, {"push_id", seat["push_id"]}}));
  CHECK(untouched["known"] == false);
  CHECK(untouched["file"]["text"] == birch.file());
  CHECK(ask(birch, {{"what", "before"}, {"push_id", "never"}}).error().code == Errc::not_found);
  CHECK(ask(birch, {{"what", "pushes"}, {"push_id", "x"}}).error().field == "push_id");
}

TEST_CASE("questions answer from the store: status, records, a push and what ran before and after it") {
  Birch birch;
  seed(birch);
  birch.carry_out(hand_over(birch, {{"token", 7}}));
  const auto status = must(ask(birch, {{"what", "status"}}));
  CHECK(status["token"] == 7);
  CHECK(status["sequence"] == 2);
  CHECK(status["cli_path"] == "present");
  CHECK(status["holder_path"] == "absent");
  CHECK(status["latched"] == false);
  CHECK(must(ask(birch, {{"what", "records"}}))["records"].size() == 3);
  const auto push = must(ask(birch, {{"what", "push"}, {"push_id", "p2"}}));
  CHECK(push["state"] == "applied");
  CHECK(push["report"]["result"] == "converged");
  CHECK(push["before"] == push["after"]);
  CHECK(must(ask(birch, {{"what", "push"}, {"push_id", "never"}}))["state"] == "unknown");
  CHECK(ask(birch, {{"what", "weather"}}).error().field == "what");
  CHECK(ask(birch, {{"what", "status"}, {"more", 1}}).error().detail.find("more") != std::string::npos);
}

TEST_CASE(
    "a probe makes one unlabelled container that never runs, from an image already here, and takes it away") {
  Birch birch;
  const auto containers = birch.engine.containers.size();
  const auto probe = must(ask(birch, {{"what", "probe"}}));
  CHECK(probe["path"] == "cli");
  CHECK(probe["image"] == "berth-practice:1");
  CHECK(birch.engine.containers.size() == containers);
  const auto name = probe["name"].get<std::string>();
  CHECK(std::ranges::count(birch.engine.acts, "create " + name) == 1);
  CHECK(std::ranges::count_if(birch.engine.acts,
                              [](const std::string& act) { return act.starts_with("start "); }) == 0);
}

TEST_CASE("a file mounted in the resolver file's place, by a link too, is the one that a container has") {
  Birch birch;
  seed(birch);
  const auto& root = birch.room.root;
  root.put("/resolv/web", "nameserver 10.0.0.2\n");  // Podman's own, which the mount hides
  root.put("/srv/resolver/mesh.conf", "nameserver 9.9.9.9\n");
  std::filesystem::create_symlink("resolver/mesh.conf", root.at("/srv/link.conf"));
  birch.engine.mounts["web"] = {{{"Type", "bind"}, {"Source", "/srv/link.conf"}, {"Destination", "/etc/resolv.conf"}}};
  const auto pinned = [&] { return take(birch)["containers"][0].value("pinned_resolvers", Json{}); };
  CHECK(pinned().is_null());
  root.put("/resolv/web", "nameserver 9.9.9.9\n");
  root.put("/srv/resolver/mesh.conf", "nameserver 10.0.0.2\n");
  CHECK(pinned() == Json{"10.0.0.2"});
  root.put("/srv/resolver/mesh.conf", "");
  std::filesystem::remove(root.at("/srv/link.conf"));
  std::filesystem::create_symlink("link.conf", root.at("/srv/link.conf"));  // a ring: nobody can tell
  CHECK(host::serve::snapshot(*birch.site, birch.host().store, false).error().detail.find("link.conf") != std::string::npos);
}

TEST_CASE("a snapshot tells which running containers have a resolver of this machine's own, until they are restarted") {
  Birch birch;
  seed(birch);  // dnsmasq's record writes the engine's dns
  birch.room.root.put("/resolv/web", "# by the engine\nsearch mesh\nnameserver 10.0.0.2\nnameserver 9.9.9.9\n");
  birch.room.root.put("/resolv/stray", "nameserver 127.0.0.11\nnameserver 9.9.9.9\n");
  const auto pinned = [&](std::size_t i) { return take(birch)["containers"][i].value("pinned_resolvers", Json{}); };
  CHECK(pinned(0) == Json{"10.0.0.2"});
  CHECK(pinned(1).is_null());
  birch.carry_out(hand_over(birch));  // the key goes, the container keeps what it was given
  CHECK(pinned(0) == Json{"10.0.0.2"});
  birch.room.root.put("/resolv/web", "nameserver 9.9.9.9\n");
  CHECK(pinned(0).is_null());
  birch.room.root.put("/resolv/web", "nameserver 10.0.0.2\n");
  birch.engine.containers[0].state = "exited";
  CHECK(pinned(0).is_null());
}

TEST_CASE("a container that asks the engine's own resolver is told by whom that one asks, where the engine says") {
  Birch birch;
  seed(birch);
  const auto pinned = [&] { return take(birch)["containers"][0].value("pinned_resolvers", Json{}); };
  birch.room.root.put("/resolv/web", "nameserver 127.0.0.11\noptions ndots:0\n# ExtServers: [9.9.9.9 host(10.0.0.2)]\n");
  CHECK(pinned() == Json{"10.0.0.2"});
  birch.room.root.put("/resolv/web", "nameserver 127.0.0.11\n# ExtServers: [10.0.0.2]\n# Overrides: []\n");
  CHECK(pinned() == Json{"10.0.0.2"});
  for (const char* harmless : {"# ExtServers: []", "# ExtServers:", "# ExtServers: [ ( ) ]", "# ExtServers: [host(9.9.9.9)", "# Servers: [10.0.0.2]"}) {
    CAPTURE(harmless);
    birch.room.root.put("/resolv/web", "nameserver 127.0.0.11\n" + std::string{harmless} + "\n");
    CHECK(pinned().is_null());
  }
  birch.engine.dns["web"] = {"10.0.0.2", "9.9.9.9"};  // given to it when it was made
  CHECK(pinned() == Json{"10.0.0.2"});
}
