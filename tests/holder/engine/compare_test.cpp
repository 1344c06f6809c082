// A container that was made from a spec does not differ from it, on every engine; another spec does, by its member.
#include "tests/holder/engine/engine_world.h"

namespace berth::test {
namespace {

using holder::client::Asker;
using holder::client::ContainerSpec;

Json broad(EngineWorld& world) {
  return {{"name", world.name("broad")},
          {"image", EngineWorld::kImage},
          {"command", {"sleep", "60"}},
          {"environment", {{"A", "1"}, {"B", "x=y z"}}},
          {"labels", {{"berth-test", "engine"}, {"team", "shop"}}},
          {"user", "1000:1000"},
          {"working_dir", "/tmp"},
          {"hostname", "broad"},
          {"stop_signal", "SIGINT"},
          {"stop_grace_period", "3s"},
          {"restart", "on-failure:2"},
          {"ports", {{{"target", 80}, {"published", 18080}, {"host_ip", "127.0.0.1"}}}},
          {"volumes",
           {{{"type", "tmpfs"}, {"target", "/scratch"}}, {{"type", "bind"}, {"source", "/etc"}, {"target", "/host"}, {"read_only", true}}}},
          {"mem_limit", "64m"},
          {"cpus", 0.5},
          {"pids_limit", 64},
          {"shm_size", "16m"},
          {"ulimits", {{"nofile", {{"soft", 512}, {"hard", 1024}}}}},
          {"healthcheck", {{"test", {"CMD", "true"}}, {"interval", "30s"}, {"retries", 2}}},
          {"read_only", true},
          {"init", false},
          {"cap_drop", {"NET_RAW"}},
          {"cap_add", {"NET_ADMIN"}},
          {"dns", {"10.1.2.3"}},
          {"extra_hosts", {{"db", "10.0.0.9"}}},
          {"assignment", "shop"},
          {"start", false}};
}

ContainerSpec spec_of(const Json& document) { return must(holder::client::parse_spec(document, Asker::host)); }

std::string joined(const std::vector<std::string>& members) {
  std::string text;
  for (const auto& member : members) text += (text.empty() ? "" : " ") + member;
  return text;
}

}  // namespace

TEST_CASE("a container does not differ from the spec it was made of, and from another by the member that does",
          "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld world{socket};
  const auto document = broad(world);
  const auto id = must(world.engine().create(spec_of(document))).id;
  const auto differs = [&](const Json& changes) {
    auto other = document;
    other.update(changes);
    return joined(must(world.engine().differences(id, spec_of(other))));
  };
  CHECK(differs(Json::object()) == "");
  CHECK(differs({{"environment", {{"A", "2"}}}}) == "environment");
  CHECK(differs({{"environment", {{"A", "1"}}}}) == "");  // more than is wanted is an image's own business
  CHECK(differs({{"labels", {{"team", "bank"}}}}) == "labels");
  CHECK(differs({{"command", {"sleep", "61"}}}) == "command");
  CHECK(differs({{"user", "0:0"}}) == "user");
  CHECK(differs({{"image", "other:1"}}) == "image");
  CHECK(differs({{"restart", "always"}}) == "restart");
  CHECK(differs({{"ports", Json::array()}}) == "ports");
  CHECK(differs({{"ports", {{{"target", 80}, {"published", 18081}, {"host_ip", "127.0.0.1"}}}}}) == "ports");
  CHECK(differs({{"volumes", {{{"type", "bind"}, {"source", "/etc"}, {"target", "/host"}}}}}) == "volumes");
  CHECK(differs({{"mem_limit", "65m"}}) == "mem_limit");
  CHECK(differs({{"pids_limit", 65}}) == "pids_limit");
  CHECK(differs({{"ulimits", {{"nofile", {{"soft", 511}, {"hard", 1024}}}}}}) == "ulimits");
  CHECK(differs({{"healthcheck", {{"test", {"CMD", "false"}}}}}) == "healthcheck");
  CHECK(differs({{"read_only", false}}) == "read_only");
  CHECK(differs({{"privileged", true}}) == "privileged");
  CHECK(differs({{"cap_add", Json::array()}}) == "cap_add");
  CHECK(differs({{"dns", {"10.1.2.4"}}}) == "dns");
  CHECK(differs({{"extra_hosts", {{"db", "10.0.0.8"}}}}) == "extra_hosts");
  CHECK(differs({{"pid", "host"}}) == "pid");
  CHECK(differs({{"assignment", "bank"}}) == "assignment");
}

TEST_CASE("a container that has no capability but those it names does not differ from its spec", "[docker][podman]") {
  if (engine_sockets().empty()) return;
  const auto socket = GENERATE(from_range(engine_sockets()));
  CAPTURE(socket);
  EngineWorld world{socket};
  auto document = broad(world);
  document.update({{"cap_drop", {"ALL"}}, {"cap_add", {"CHOWN", "NET_ADMIN"}}, {"ports", Json::array()}});
  const auto id = must(world.engine().create(spec_of(document))).id;
  CHECK(joined(must(world.engine().differences(id, spec_of(document)))) == "");
  document["cap_add"] = {"CHOWN", "NET_ADMIN", "SYS_TIME"};
  CHECK(joined(must(world.engine().differences(id, spec_of(document)))) == "cap_add");
}

TEST_CASE("EL21 what the image, the engine or their order adds is no difference: a second look changes nothing",
          "[docker][podman]") {
  EVERY_ENGINE(world);
  // An image with an environment, a label and a volume of its own.
  const auto base = world.create(world.shell("base", "true"));
  const auto tag = "berth-test-el21-" + world.name("tag");
  const auto committed =
      world.raw("POST", "/commit?container=" + base + "&repo=" + tag + "&tag=1&changes=ENV%20FROM_IMAGE%3D1&changes=LABEL%20of%3Dimage",
                Json::object());
  if (committed.status != 201) FAIL(committed.body);
  world.also_remove("/images/" + tag + ":1");
  const auto other = world.name("other");
  must(world.engine().start(world.create(world.shell("other", "sleep 300"))));
  Json document = {{"name", world.name("again")},
                   {"image", tag + ":1"},
                   {"command", {"sleep", "60"}},
                   {"environment", {{"B", "2"}, {"A", "1"}}},
                   {"labels", {{"berth-test", "engine"}}},
                   {"cap_drop", {"NET_RAW", "MKNOD"}},
                   {"network_mode", "container:" + other},
                   {"start", false}};
  const auto id = must(world.engine().create(spec_of(document))).id;
  CHECK(joined(must(world.engine().differences(id, spec_of(document)))) == "");
  document["cap_drop"] = {"MKNOD", "NET_RAW"};  // the same set
  CHECK(joined(must(world.engine().differences(id, spec_of(document)))) == "");
  document["network_mode"] = "container:" + must(world.engine().inspect(base)).summary.name;
  CHECK(joined(must(world.engine().differences(id, spec_of(document)))) == "network_mode");

  Json published = {{"name", world.name("ports")},
                    {"image", tag + ":1"},
                    {"command", {"sleep", "60"}},
                    {"labels", {{"berth-test", "engine"}}},
                    {"ports",
                     {{{"target", 80}, {"published", 28'121}, {"host_ip", "127.0.0.2"}},
                      {{"target", 80}, {"published", 28'121}, {"host_ip", "127.0.0.1"}},
                      {{"target", 443}, {"published", 28'122}, {"host_ip", "127.0.0.1"}}}},
                    {"start", false}};
  const auto with_ports = must(world.engine().create(spec_of(published))).id;
  CHECK(joined(must(world.engine().differences(with_ports, spec_of(published)))) == "");
  std::reverse(published["ports"].begin(), published["ports"].end());
  CHECK(joined(must(world.engine().differences(with_ports, spec_of(published)))) == "");
  published["ports"].erase(1);
  CHECK(joined(must(world.engine().differences(with_ports, spec_of(published)))) == "ports");
  must(world.engine().remove(id, true, true));
  must(world.engine().remove(with_ports, true, true));
}

}  // namespace berth::test
