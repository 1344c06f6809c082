// The cases that are accepted, made on real engines through the holder's verbs and read back from the engine itself.
#include <fcntl.h>
#include <sys/file.h>

#include <set>

#include "base/owned.h"
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/policy/policy_data.h"
#include "tests/holder/policy/read_back_rules.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {


/// The containers have the cases' own names: one run at a time on this machine.
class OneAtATime {
 public:
  OneAtATime() : fd_(::open("/tmp/berth-policy-cases.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0666)) { ::flock(fd_.get(), LOCK_EX); }

 private:
  OwnedFd fd_;
};

/// The cases' volumes, networks, images and containers on a real engine, under names of this run.
class RealGround {
 public:
  explicit RealGround(const std::string& socket) : world_(socket), bench_(world_.engine()) {
    const auto fixtures = data_document("policy-fixtures.json");
    bench_.bounds = {.port_low = 1024, .port_high = 65535};
    bench_.start();
    bench_.grant(Json::parse(R"([{"caller": "alice", "verbs": ["create"], "class": "act"}])"));
    make_images(fixtures["images"]);
    make_volumes(fixtures["volumes"]);
    make_networks(fixtures["networks"]);
    names_["mesh-web"] = world_.name("mesh-web");
    auto held = world_.shell("mesh-web", "sleep 1");
    held.name = names_["mesh-web"];
    held.assignment = "web";
    world_.create(held);
  }

  /// Everything in a case's wish that names something of the fixtures, by its name here.
  Json here(const Json& value) const {
    if (value.is_string()) return of_text(value.get<std::string>());
    if (!value.is_structured()) return value;
    auto mapped = value;
    for (auto at = mapped.begin(); at != mapped.end(); ++at) *at = here(*at);
    if (!value.is_object()) return mapped;
    Json renamed = Json::object();
    for (const auto& [key, item] : mapped.items()) renamed[names_.contains(key) ? names_.at(key) : key] = item;
    return renamed;
  }

  Result<Json> create(const Json& params, bool host) { return host ? bench_.host("create", params) : bench_.bus("create", params); }
  Json seen(const std::string& id) {
    holder::engine::Transport transport{world_.socket()};
    auto told = Json::parse(must(transport.read({.target = "/v1.41/containers/" + id + "/json"})).body);
    if (world_.podman()) add_what_is_not_given(told, transport, id);
    return told;
  }
  void remove(const std::string& id) { must(world_.engine().remove(id, true, true)); }
  EngineWorld& world() { return world_; }

 private:
  /// Podman names among the dropped only what its own default would have given.
  static void add_what_is_not_given(Json& told, holder::engine::Transport& transport, const std::string& id) {
    const auto own = Json::parse(must(transport.read({.target = "/v4.0.0/libpod/containers/" + id + "/json"})).body);
    std::set<std::string> has;
    for (const auto& one : own["BoundingCaps"]) has.insert(one.get<std::string>());
    for (const auto* name : {"MKNOD", "NET_RAW", "AUDIT_WRITE"}) {
      if (!has.contains(std::string{"CAP_"} + name)) told["HostConfig"]["CapDrop"].push_back(name);
    }
  }
  std::string of_text(const std::string& text) const {
    if (text.starts_with("container:") && names_.contains(text.substr(10))) return "container:" + names_.at(text.substr(10));
    // Files of a machine that this one may not have.
    if (text == "/dev/kvm" || text == "/dev/vda") return "/dev/null";
    if (text.ends_with(".sock")) return world_.socket();
    if (text.find(".sock:") != std::string::npos) return world_.socket() + ":/s";
    if (text == "app-data:/data") return names_.at("app-data") + ":/data";
    return names_.contains(text) ? names_.at(text) : text;
  }

  /// A container of the busybox image, committed with what the fixture's image has.
  void make_images(const Json& images) {
    const auto from = world_.create(world_.shell("image", "true"));
    for (const auto* name : {"mini:1", "vol:1", "traefik-label:1", "held-label:1"}) {
      const auto& image = images[name];
      const auto repo = world_.name("image-" + std::string{name}.substr(0, std::string{name}.find(':')));
      std::string changes = "&changes=" + std::string{"CMD%20%5B%22sleep%22%2C%20%221%22%5D"};
      for (const auto& [key, value] : image.value("labels", Labels{})) changes += "&changes=LABEL%20" + key + "%3D" + value;
      for (const auto& target : image.value("volumes", std::vector<std::string>{})) changes += "&changes=VOLUME%20" + target;
      const auto answer = world_.raw("POST", "/commit?container=" + from + "&repo=" + repo + "&tag=1" + changes, Json::object());
      if (answer.status != 201) FAIL("commit " << name << ": " << answer.body);
      world_.also_remove("/images/" + repo + ":1?force=true");
      names_[name] = repo + ":1";
    }
    names_[images["mini:1"]["id"].get<std::string>()] = must(world_.engine().image(names_["mini:1"])).id;
  }

  void make_volumes(const Json& volumes) {
    for (const auto* name : {"app-data", "evil", "held-data"}) {
      const auto& volume = volumes[name];
      Labels labels;
      if (volume["owner"].is_string()) labels = volume["owner"] == "alice" ? Labels{{"mesh-holder.caller", "alice"}} : Labels{{"mesh-host.id", "web"}};
      names_[name] = world_.name(name);
      const auto answer = world_.raw("POST", "/volumes/create", {{"Name", names_[name]}, {"Driver", "local"}, {"DriverOpts", volume["options"]}, {"Labels", labels}});
      if (answer.status != 201) FAIL("volume " << name << ": " << answer.body);
      world_.also_remove("/volumes/" + names_[name]);
    }
    for (const auto* name : {"job2-data", "v1"}) world_.also_remove("/volumes/" + (names_[name] = world_.name(name)));
  }

  void make_networks(const Json& networks) {
    for (const auto* name : {"app-net", "held-net"}) {
      names_[name] = world_.name(name);
      const auto labels = networks[name]["owner"] == "alice" ? Labels{{"mesh-holder.caller", "alice"}} : Labels{{"mesh-host.id", "web"}};
      must(world_.engine().ensure_network(names_[name], labels));
      world_.also_remove("/networks/" + names_[name]);
    }
  }

  OneAtATime lock_;
  EngineWorld world_;
  Bench bench_;
  std::map<std::string, std::string> names_;
};

/// What the engine itself has no way to do, whoever asks.
bool engine_cannot(const std::string& id, bool podman) {
  static const std::vector<std::string> kDocker = {};
  // No syslog driver; no program for `init` where the package that brings it is not installed.
  static const std::vector<std::string> kPodman = {"HOST-16", "HOST-LOG-04", "OK-42"};
  const auto& list = podman ? kPodman : kDocker;
  return std::ranges::find(list, id) != list.end();
}

std::string lines(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& item : list) text += "\n  " + item;
  return text;
}

void made_and_read_back(RealGround& ground, const PolicyCase& one) {
  auto wish = one.intent.contains("raw_body") ? Json{{"query", Json::object()}, {"body", Json::parse(one.intent["raw_body"].get<std::string>())}} : one.intent;
  wish["body"] = ground.here(wish["body"]);
  auto params = our_params("create", wish, one.host);
  params["start"] = false;
  const auto made = ground.create(params, one.host);
  CAPTURE(one.id, one.title, ground.world().podman(), params.dump().substr(0, 400));
  if (!made) {
    if (!engine_cannot(one.id, ground.world().podman())) FAIL_CHECK(to_text(made.error()));
    return;
  }
  const auto id = made->at("id").get<std::string>();
  const auto seen = ground.seen(id);
  const auto different = differences(wish["body"], seen, ground.world().podman());
  if (!different.empty()) FAIL_CHECK(lines(different));
  const auto loose = one.host ? std::vector<std::string>{} : unconfined(seen, ground.world().podman());
  if (!loose.empty()) FAIL_CHECK(lines(loose));
  if (wish["query"].contains("name")) CHECK(seen["Name"].get<std::string>().ends_with(wish["query"]["name"].get<std::string>()));
  ground.remove(id);
}

}  // namespace

TEST_CASE("what the policy accepts is made on real engines as it was asked for, and no freer", "[policy][docker][podman]") {
  for (const auto& socket : engine_sockets()) {
    RealGround ground{socket};
    int made = 0;
    for (const auto& one : policy_cases()) {
      if (one.verb != "create" || !one.accepted) continue;
      made_and_read_back(ground, one);
      ++made;
    }
    CHECK(made == 155);
  }
}

TEST_CASE("a bus caller's process has none of the three capabilities and gains no privileges", "[policy][docker][podman]") {
  for (const auto& socket : engine_sockets()) {
    RealGround ground{socket};
    CAPTURE(socket);
    const auto made = ground.create({{"image", ground.here("mini:1")}, {"command", {"cat", "/proc/self/status"}}}, false);
    if (!made) FAIL(to_text(made.error()));
    const auto id = made->at("id").get<std::string>();
    CHECK(ground.world().becomes(id, "exited"));
    std::string status;
    for (const auto& line : must(ground.world().engine().logs(id, {})).lines) status += line.text + "\n";
    CHECK(status.find("NoNewPrivs:\t1") != std::string::npos);
    const auto at = status.find("CapBnd:\t");
    REQUIRE(at != std::string::npos);
    const auto bounding = std::stoull(status.substr(at + 8, 16), nullptr, 16);
    for (const int gone : {13, 27, 29, 21, 12}) CHECK((bounding >> gone & 1) == 0);  // NET_RAW, MKNOD, AUDIT_WRITE, SYS_ADMIN, NET_ADMIN
    CHECK((bounding & 1) == 1);  // CHOWN stays: nothing was asked to go
    ground.remove(id);
  }
}
