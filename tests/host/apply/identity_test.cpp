// Any of the types together, on a machine in any state: applied, declared otherwise, given back, it is as it was,
// but for what the documents keep (a package, a membership).
#include <algorithm>
#include <random>

#include "tests/host/apply/grove.h"

using namespace berth;
using namespace berth::test;

namespace {

class Chance {
 public:
  explicit Chance(unsigned seed) : engine_(seed) {}
  bool of(int percent) { return std::uniform_int_distribution<int>{1, 100}(engine_) <= percent; }
  const char* one_of(std::vector<const char*> all) {
    return all[std::uniform_int_distribution<std::size_t>{0, all.size() - 1}(engine_)];
  }

 private:
  std::mt19937 engine_;
};

/// What somebody may have left where the module's resources go.
void disturb(Grove& grove, Chance& chance) {
  auto& room = grove.birch.room;
  if (chance.of(30)) std::filesystem::remove(room.root.at(kConf));
  if (chance.of(30)) std::filesystem::remove(room.root.at(kOther));
  if (chance.of(20)) std::filesystem::remove_all(room.root.at("/etc/shop"));  // two of ours share the folder
  if (chance.of(30)) room.root.put(kConf, chance.one_of({"", "\r\n", "ours\n", "\xFF\xFE"}), chance.of(50) ? 0600 : 0755);
  if (chance.of(50)) room.root.put(kOther, chance.one_of({"{}", "{\"ours\": \"theirs\"}\n", "{ \"ours\" :true}", "{\"a\":[1 , 2]}\n\n"}));
  if (chance.of(40)) grove.birch.put_file(chance.one_of({"{}", "{\"live-restore\": true}", "{\n\t\"live-restore\": false\n}\n", "{\"debug\":true}\r\n"}));
  if (chance.of(20)) std::filesystem::remove(room.root.at(kFile));
  if (chance.of(30)) room.root.put(kUnits + std::string{"shop.service.d/berth.conf"}, "[Service]\nNice=1\n");
  if (chance.of(30)) room.root.put(kUnits + std::string{"shop-prune.timer"}, "[Timer]\nOnCalendar=daily\n");
  grove.read_units();
  for (const char* unit : {"shop.service", "shop-prune.timer"}) {
    if (room.units.units.contains(unit)) room.units.add(unit, chance.one_of({"active", "inactive"}), chance.one_of({"enabled", "disabled"}));
  }
  if (chance.of(50)) grove.accounts.entries["op"] = {"/bin/zsh", "/home/op"};
}

/// Some of the module's resources, some of them with other contents.
Json some_of_shop(Chance& chance) {
  auto module = Grove::shop();
  Json kept = Json::array();
  for (auto resource : module["resources"]) {
    const auto id = resource["id"].get<std::string>();
    // A service's unit is its file's: both or none.
    if (id != "ticks" && id != "clock" && !chance.of(70)) continue;
    if (resource.contains("content") && chance.of(40)) resource["content"] = resource["content"].get<std::string>() + "# again\n";
    if (id == "other" && chance.of(40)) resource["into"] = {{"ours", chance.of(50)}, {"more", {1, 2}}};
    if (id == "run") {
      resource.erase("on_change");
      if (chance.of(40)) resource["running"] = chance.of(50);
    }
    kept.push_back(std::move(resource));
  }
  module["resources"] = std::move(kept);
  return module;
}

Json ids_of(const Json& module) {
  Json ids = Json::array();
  for (const auto& resource : module["resources"]) ids.push_back("shop." + resource["id"].get<std::string>());
  return ids;
}

Json ids_but(const Json& all, const Json& left_out) {
  Json ids = Json::array();
  for (const auto& id : all) {
    if (std::ranges::find(left_out, id) == left_out.end()) ids.push_back(id);
  }
  return ids;
}

}  // namespace

TEST_CASE("what two resources share and an apply made goes with the last of them, whichever that is", "[identity]") {
  const auto in = [](const char* id, const char* path, const char* key) {
    return Json{{"name", id}, {"assignment", id}, {"claims", Json::array()},
                {"resources", {{{"id", "r"}, {"type", "json"}, {"path", path}, {"into", {{key, true}}}}}}};
  };
  const auto a = in("a", "/etc/new/deep/one.json", "a"), b = in("b", "/etc/new/deep/one.json", "b"), c = in("c", "/etc/new/two.json", "c");
  std::vector<std::pair<std::string, Json>> order = {{"a.r", a}, {"b.r", b}, {"c.r", c}};
  do {
    Grove grove;
    const auto before = grove.machine();
    REQUIRE(grove.birch.carry_out(grove.birch.push("apply", {a}))["result"] == "converged");
    REQUIRE(grove.birch.carry_out(grove.birch.push("apply", {a, b, c}))["result"] == "converged");
    Json left = {a, b, c};
    for (const auto& [id, module] : order) {
      CAPTURE(id);
      left.erase(std::ranges::find(left, module));
      REQUIRE(grove.birch.carry_out(grove.birch.push("apply", left, {{"give_back", {id}}}))["result"] == "converged");
    }
    CHECK(grove.machine() == before);
  } while (std::ranges::next_permutation(order, {}, &std::pair<std::string, Json>::first).found);
}

TEST_CASE("whatever is declared on whatever machine, and declared otherwise, goes back to what was found", "[identity]") {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    Chance chance{seed};
    Grove grove;
    disturb(grove, chance);
    const auto before = grove.machine();
    const auto first = some_of_shop(chance);
    const auto second = some_of_shop(chance);
    CAPTURE(seed, first.dump(), second.dump());
    const auto once = grove.birch.carry_out(grove.birch.push("apply", {first}));
    REQUIRE(once["result"] != "failed");
    const auto twice = grove.birch.carry_out(
        grove.birch.push("apply", {second}, {{"give_back", ids_but(ids_of(first), ids_of(second))}}));
    REQUIRE(twice["result"] != "failed");
    const auto back = grove.birch.carry_out(grove.birch.push("apply", Json::array(), {{"give_back", ids_of(second)}}));
    REQUIRE(back["result"] == "converged");
    REQUIRE(grove.machine() == before);
    REQUIRE(grove.found().empty());
  }
}
