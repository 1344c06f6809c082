// Containers that are only made are made side by side: each durable before and after, none that touches
// another meanwhile, and no wait for the disk per container that stays.
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <set>

#include "tests/host/apply/world.h"

using namespace berth;
using namespace berth::test;

namespace {

/// What happens at the engine while containers are made on several threads. One at a time in each test.
struct Kiln {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::string> inside;       // being made now
  std::size_t most = 0;               // so many at once
  std::size_t wait_for = 1;           // nobody leaves before so many are inside
  std::set<std::string> beside_none;  // must be made while no other is
  std::string fails, kills;           // by name: refused; made, and then the host dies
};
Kiln* kiln = nullptr;

/// A way to Birch's engine that any thread may have one of.
class KilnPath final : public host::path::Path {
  template <class Act>
  auto locked(Act act) {
    const std::scoped_lock lock{kiln->mutex};
    return act(*engine_here());
  }

 public:
  host::path::Kind kind() const override { return host::path::Kind::holder; }
  Result<std::vector<host::path::Seen>> list() override {
    return locked([](auto& e) { return e.list(); });
  }
  Result<Json> inspect(const std::string& c) override {
    return locked([&](auto& e) { return e.inspect(c); });
  }
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& s) override {
    return locked([&](auto& e) { return e.differences(id, s); });
  }
  Result<std::string> create(const holder::client::ContainerSpec& spec) override {
    std::unique_lock lock{kiln->mutex};
    kiln->inside.insert(spec.name);
    kiln->most = std::max(kiln->most, kiln->inside.size());
    kiln->changed.notify_all();
    const bool met =
        kiln->changed.wait_for(lock, std::chrono::seconds{20}, [&] { return kiln->most >= kiln->wait_for; });
    const bool lone = kiln->beside_none.contains(spec.name);
    const bool alone = !lone || !kiln->changed.wait_for(lock, std::chrono::milliseconds{200},
                                                        [&] { return kiln->inside.size() > 1; });
    kiln->inside.erase(spec.name);
    if (!met || !alone)
      return fail(Errc::failed, spec.name + (met ? " was made beside another" : " was made alone"));
    if (kiln->fails == spec.name) return fail(Errc::engine_refused, "no room for " + spec.name);
    auto id = engine_here()->create(spec);
    if (kiln->kills == spec.name) throw CutSeam::Died{};
    return id;
  }
  Status start(const std::string& id) override {
    return locked([&](auto& e) { return e.start(id); });
  }
  Status stop(const std::string& id, std::chrono::seconds g) override {
    return locked([&](auto& e) { return e.stop(id, g); });
  }
  Status remove(const std::string& id) override {
    return locked([&](auto& e) { return e.remove(id); });
  }
  Status signal(const std::string& id, std::string_view s) override {
    return locked([&](auto& e) { return e.signal(id, s); });
  }
  Result<host::path::EngineView> engine() override {
    return locked([](auto& e) { return e.engine(); });
  }
  Result<std::string> engine_socket() override {
    return locked([](auto& e) { return e.engine_socket(); });
  }
  Result<bool> reloaded_since(Time t) override {
    return locked([&](auto& e) { return e.reloaded_since(t); });
  }
};

std::unique_ptr<host::path::Path> kiln_path(const std::string&, Seam&) {
  return std::make_unique<KilnPath>();
}

struct Pottery {
  Pottery() {
    kiln = &fire;
    birch.site->made_at_once = 4;
  }
  Json push_of(std::size_t pots, const Json& more = Json::array()) {
    Json resources = Json::array();
    for (std::size_t i = 0; i < pots; ++i) resources.push_back(pot("pot" + std::to_string(i)));
    resources.insert(resources.end(), more.begin(), more.end());
    return birch.push(
        "apply",
        {{{"name", "pots"}, {"assignment", "pots"}, {"claims", Json::array()}, {"resources", resources}}});
  }
  static Json pot(const std::string& name, const Json& more = Json::object()) {
    Json spec = {{"name", name}, {"image", "clay:1"}};
    spec.update(more);
    return {{"id", name}, {"type", "container"}, {"spec", spec}};
  }
  /// What became of a container, in the report's word.
  static std::string became(const Json& report, const std::string& name) {
    for (const auto& one : report["resources"])
      if (one["id"] == "pots." + name) return one["action"];
    return "unsaid";
  }
  std::size_t made(const std::string& name) const {
    return static_cast<std::size_t>(std::ranges::count(birch.engine.acts, "create " + name));
  }
  /// Each is recorded as applied with the id that it has at the engine.
  void all_on_record(std::size_t pots) {
    const host::Records records(birch.host().store, "birch");
    for (std::size_t i = 0; i < pots; ++i) {
      const auto name = "pot" + std::to_string(i);
      const auto record = must(records.find("pots." + name));
      REQUIRE(record);
      CHECK(record->state == "applied");
      const auto at = std::ranges::find(birch.engine.containers, name, &host::path::Seen::name);
      REQUIRE(at != birch.engine.containers.end());
      CHECK(record->applied["id"] == at->id);
      CHECK(made(name) == 1);
    }
  }
  Kiln fire;
  Birch birch{host::path::Linked{nullptr, kiln_path}};
};

}  // namespace

TEST_CASE("containers that are only made are made four at a time, and each is kept as its own") {
  Pottery pottery;
  pottery.fire.wait_for = 4;
  const auto report = pottery.birch.carry_out(pottery.push_of(10));
  CHECK(report["result"] == "converged");
  CHECK(pottery.fire.most == 4);
  for (std::size_t i = 0; i < 10; ++i) CHECK(Pottery::became(report, "pot" + std::to_string(i)) == "created");
  pottery.all_on_record(10);
}

TEST_CASE("a container that joins another's namespace, and one that replaces another, are made alone") {
  Pottery pottery;
  pottery.birch.carry_out(pottery.push_of(1));
  pottery.fire.beside_none = {"pot0", "joiner"};
  pottery.birch.engine.acts.clear();
  auto body = pottery.push_of(
      3, {Pottery::pot("joiner", {{"network_mode", "container:pot2"}}), Pottery::pot("last")});
  body["declaration"]["modules"][0]["resources"][0]["spec"]["image"] = "clay:2";
  const auto report = pottery.birch.carry_out(body);
  INFO(report.dump(1));
  CHECK(report["result"] == "converged");
  CHECK(Pottery::became(report, "pot0") == "updated");
  CHECK(Pottery::became(report, "joiner") == "created");
  const auto& acts = pottery.birch.engine.acts;
  const auto at = [&](const std::string& name) {
    return std::ranges::find_if(acts,
                                [&](const std::string& act) { return act.starts_with("create " + name); });
  };
  CHECK(at("pot0") < at("pot1"));
  CHECK(at("pot2") < at("joiner"));
  CHECK(at("joiner") < at("last"));
}

TEST_CASE("the first of several on one network makes it alone, and the others come after it, together") {
  Pottery pottery;
  pottery.fire.beside_none = {"pot0"};
  auto body = pottery.push_of(4);
  for (auto& pot : body["declaration"]["modules"][0]["resources"])
    pot["spec"]["networks"] = Json::array({"shop"});
  const auto report = pottery.birch.carry_out(body);
  INFO(report.dump(1));
  CHECK(report["result"] == "converged");
  pottery.all_on_record(4);
  CHECK(pottery.birch.engine.acts.front() == "create pot0");
}

TEST_CASE("one of several that cannot be made fails by itself, and the next apply makes it") {
  Pottery pottery;
  pottery.fire.fails = "pot2";
  const auto body = pottery.push_of(6);
  const auto report = pottery.birch.carry_out(body);
  CHECK(report["result"] == "failed");
  CHECK(Pottery::became(report, "pot2") == "failed");
  CHECK(report["cause"].get<std::string>().find("no room for pot2") != std::string::npos);
  for (const auto* name : {"pot0", "pot1", "pot3", "pot4", "pot5"})
    CHECK(Pottery::became(report, name) == "created");
  pottery.fire.fails.clear();
  must(pottery.birch.host().applier.again());
  pottery.all_on_record(6);
}

TEST_CASE("a host that dies while several are made finds each again and makes none twice") {
  const std::string name = GENERATE("pot0", "pot3", "pot5");
  Pottery pottery;
  pottery.fire.kills = name;
  must(pottery.birch.host().applier.take(pottery.push_of(6)));
  CHECK_THROWS_AS(pottery.birch.host().applier.work(), CutSeam::Died);
  pottery.birch.die();
  pottery.fire.kills.clear();
  must(pottery.birch.host().applier.start());
  pottery.all_on_record(6);
  CHECK(pottery.birch.state_of("p1") == "applied");
}

TEST_CASE("a whole push makes its containers one after the other") {
  Pottery pottery;
  seed(pottery.birch);
  auto body = hand_over(pottery.birch);
  for (const auto* name : {"pot0", "pot1", "pot2"})
    body["declaration"]["modules"][0]["resources"].push_back(Pottery::pot(name));
  const auto report = pottery.birch.carry_out(body);
  INFO(report.dump(1));
  CHECK(report["result"] == "converged");
  CHECK(pottery.made("pot2") == 1);
  CHECK(pottery.fire.most == 1);
}

TEST_CASE("containers that stay as they are cost no commit each") {
  const auto commits = [](std::size_t pots) {
    Pottery pottery;
    pottery.birch.carry_out(pottery.push_of(pots));
    auto& acts = pottery.birch.room.seam.acts;
    acts.clear();
    CHECK(pottery.birch.carry_out(pottery.push_of(pots))["result"] == "unchanged");
    return std::ranges::count(acts, "store.commit");
  };
  const auto few = commits(2);
  CHECK(few > 0);
  CHECK(commits(40) == few);
}
