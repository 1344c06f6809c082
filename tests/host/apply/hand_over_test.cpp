#include <algorithm>

#include "host/apply/expect.h"
#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

Json back_out(Birch& birch, const std::string& restores) {
  return birch.push(
      "back_out", Json::array(),
      {{"restores", restores}, {"give_back", {"docker.package", "docker.daemon", "docker.runtime"}}});
}

Json hashes(Birch& birch) {
  auto world = birch.site->world(nullptr);
  const auto now = must(host::apply::read_hashes(world));
  return {{"file", now.file}, {"unit", now.unit}, {"flags", now.flags}};
}

}  // namespace

TEST_CASE(
    "a hand_over moves the keys to one owner in one edit and one reload, and the new record knows what was "
    "there first") {
  Birch birch;
  seed(birch);
  const auto reloads = birch.engine.reloads;
  const auto report = birch.carry_out(hand_over(birch, {{"expect", hashes(birch)}}));
  CHECK(report["result"] == "converged");
  CHECK(birch.engine.reloads == reloads + 1);
  const auto document = must(parse_json(birch.file(), "file"));
  CHECK(document["live-restore"] == true);
  CHECK(document["insecure-registries"] == Json({"registry.mesh:5000"}));
  CHECK_FALSE(document.contains("dns"));
  CHECK(birch.engine.view.live_restore);
  CHECK(birch.record("dnsmasq.daemon").is_null());
  CHECK(birch.record("docker.daemon")["state"] == "applied");
  // Given back from here, the file is what it was before anybody's module wrote it.
  birch.carry_out(birch.push("apply", Json::array(),
                             {{"give_back", {"docker.package", "docker.daemon", "docker.runtime"}}}));
  CHECK(birch.file() == kByHand);
}

TEST_CASE("a hand_over keeps who ran before and after it, and its engine is never stopped or started") {
  Birch birch;
  seed(birch);
  const auto acts = birch.room.units.acts.size();
  birch.carry_out(hand_over(birch));
  const auto containers = must(host::Pushes(birch.host().store, "birch").fact("containers", "p2"));
  CHECK(containers["before"] == containers["after"]);
  CHECK(containers["before"].size() == 2);
  CHECK(containers["before"][0]["pid"] == 100);
  for (std::size_t i = acts; i < birch.room.units.acts.size(); ++i)
    CHECK(birch.room.units.acts[i] == "reload docker.service");
}

TEST_CASE("a back-out puts every byte of the file and every record back, found states included") {
  Birch birch;
  seed(birch);
  const auto file = birch.file();
  const auto records = birch.records();
  birch.carry_out(hand_over(birch));
  REQUIRE(birch.file() != file);
  const auto report = birch.carry_out(back_out(birch, "p2"));
  CHECK(report["result"] == "converged");
  CHECK(birch.file() == file);
  CHECK(birch.records() == records);
  must(birch.host().applier.again());
  CHECK(birch.file() == file);
  CHECK(birch.records() == records);
}

TEST_CASE("a back-out after somebody else wrote the file takes out what was ours and keeps what was his") {
  Birch birch;
  seed(birch);
  birch.carry_out(hand_over(birch));
  auto text = birch.file();
  text.replace(text.find("\"debug\" :false"), 14, "\"debug\" :true");
  birch.put_file(text);
  birch.carry_out(back_out(birch, "p2"));
  const auto document = must(parse_json(birch.file(), "file"));
  CHECK(document["debug"] == true);
  CHECK(document["dns"] == Json({"10.0.0.2"}));
  CHECK(birch.record("docker.daemon").is_null());
  CHECK(birch.record("dnsmasq.daemon")["state"] == "applied");
}

TEST_CASE("a file that is not as it was read is drift: both hashes are named and nothing is changed") {
  Birch birch;
  seed(birch);
  const auto expect = hashes(birch);
  auto changed = birch.file();
  changed.insert(changed.rfind('}'), " ");
  birch.put_file(changed);
  const auto records = birch.records();
  const auto report = birch.carry_out(hand_over(birch, {{"expect", expect}}));
  CHECK(report["result"] == "refused");
  CHECK(birch.state_of("p2") == "refused");
  const auto cause = report["cause"].get<std::string>();
  CHECK(cause.find("drift") == 0);
  CHECK(cause.find(expect["file"].get<std::string>()) != std::string::npos);
  CHECK(cause.find(sha256_hex(changed)) != std::string::npos);
  CHECK(birch.file() == changed);
  CHECK(birch.records() == records);
}

TEST_CASE("a unit or a flag changed since it was read is drift too") {
  Birch birch;
  seed(birch);
  const auto expect = hashes(birch);
  birch.room.units.unit_files["docker.service"].push_back(
      {"/etc/systemd/system/docker.service.d/x.conf",
       "[Service]\nExecStart=\nExecStart=/usr/sbin/dockerd --mtu 1400\n"});
  CHECK(birch.carry_out(hand_over(birch, {{"expect", expect}}))["cause"].get<std::string>().find("drift") ==
        0);
}

TEST_CASE("a hand_over that fails at its last resource gives everything back") {
  Birch birch;
  seed(birch);
  const auto file = birch.file();
  const auto records = birch.records();
  auto body = hand_over(birch);
  body["declaration"]["modules"][0]["resources"].push_back(
      {{"id", "tool"}, {"type", "package"}, {"name", "missing"}});
  const auto report = birch.carry_out(body);
  CHECK(report["result"] == "failed");
  CHECK(report["cause"].get<std::string>().find("missing") != std::string::npos);
  CHECK(birch.state_of("p2") == "failed");
  CHECK(birch.file() == file);
  CHECK(birch.records() == records);
  CHECK(birch.engine.view.live_restore);
  must(birch.host().applier.again());
  CHECK(birch.records() == records);
}

TEST_CASE("an engine that does not take the file leaves the machine as it was") {
  Birch birch;
  seed(birch);
  const auto file = birch.file();
  const auto records = birch.records();
  birch.room.clock.advance(std::chrono::seconds{1});
  birch.engine.on_reload = [](FakeEngine& engine, const Json& document) {
    engine.refuses = !document.contains("dns");
  };
  const auto report = birch.carry_out(hand_over(birch));
  CHECK(report["result"] == "failed");
  CHECK(birch.file() == file);
  CHECK(birch.records() == records);
}

TEST_CASE("a hand_over on a machine whose engine does not answer changes nothing") {
  Birch birch;
  seed(birch);
  const auto tree = birch.room.root.tree();
  const auto records = birch.records();
  birch.engine.down = true;
  const auto report = birch.carry_out(hand_over(birch));
  CHECK(report["result"] == "failed");
  CHECK(report["path"] == "none");
  CHECK(birch.room.root.tree() == tree);
  CHECK(birch.records() == records);
}
