// Apply, then give back, is the identity on the machine, for whatever was there; what the documents keep (a
// package, a membership) is left out of what is compared.
#include <random>

#include "tests/host/resources/room.h"
#include "tests/support/fake_accounts.h"
#include "tests/support/fake_engine.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

constexpr int kRounds = 150;

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(engine_); }
  bool flip() { return below(2) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937 engine_;
};

struct Whole : test::Room {
  World world() {
    auto world = Room::world();
    world.accounts = &accounts;
    world.path = &engine;
    return world;
  }
  /// Everything a resource could have changed, as text.
  std::string fingerprint() {
    std::string text = root.tree();
    for (const auto& [name, u] : units.units) text += name + " " + u.load + " " + u.active + " " + u.file + "\n";
    for (const auto& [name, e] : accounts.entries) text += name + " " + e.shell + " " + e.home + "\n";
    for (const auto& c : engine.containers) text += c.id + " " + c.name + " " + c.state + "\n";
    return text;
  }
  test::FakeAccounts accounts{seam};
  test::FakeEngine engine{root.at("/none"), clock, seam};
};

/// A resource's life: found, applied, applied again, perhaps declared anew and applied, given back (twice).
void live(Whole& room, std::string_view name, const Json& first, const Json& second) {
  auto world = room.world();
  const auto& t = type(name);
  must(t.check(first));
  must(t.check(second));
  auto found = must(t.read(world, first));
  auto applied = must(t.apply(world, first, found, nullptr)).applied;
  CHECK_FALSE(must(t.apply(world, first, found, applied)).changed);
  if (second != first && t.widen != nullptr) found = must(t.widen(world, second, found));
  applied = must(t.apply(world, second, found, applied)).applied;
  must(t.give_back(world, second, found, applied));
  must(t.give_back(world, second, found, applied));
}

const std::vector<std::string> kTexts = {"", "one\n", "no newline", "\r\nCRLF\r\n", std::string{"zero\0byte", 9}, "\xFF\xFE not UTF-8"};
const std::vector<std::string> kModes = {"0644", "0600", "0755", "0440"};

}  // namespace

TEST_CASE("a file applied and given back leaves the machine as it was", "[identity]") {
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    const std::string path = dice.flip() ? "/etc/a/b/x.conf" : "/etc/x.conf";
    const auto there = dice.below(4);
    if (there == 1 || there == 2) room.root.put(path, dice.one_of(kTexts), dice.flip() ? 0640 : 0755);
    if (there == 1 && dice.flip()) REQUIRE(::chown(room.root.at(path).c_str(), 12, 34) == 0);
    if (there == 3) {
      room.root.put("/srv/target.conf", dice.one_of(kTexts));
      std::filesystem::create_directories(std::filesystem::path{room.root.at(path)}.parent_path());
      std::filesystem::create_symlink("/srv/target.conf", room.root.at(path));
    }
    const auto before = room.fingerprint();
    const auto declared = [&] {
      return Json{{"path", path}, {"content", dice.flip() ? "ours\n" : "ours too\n"}, {"mode", dice.one_of(kModes)}, {"owner", dice.flip() ? "root:root" : "1:2"}};
    };
    const auto first = declared(), second = declared();
    live(room, "file", first, second);
    REQUIRE(room.fingerprint() == before);
  }
}

TEST_CASE("members of a JSON file applied and given back leave its bytes as they were", "[identity]") {
  const std::vector<std::string> texts = {"{}", "{ }\n", "{\n\t\"a\" : 1,\r\n\t\"list\": [ \"x\" ]\r\n}", "{\"list\":[],\"n\":12345678901234567890}",
                                          "{\"o\": {\"deep\": [1, 2]},\n \"a\": null}\n\n", "{\"mine\": \"theirs\", \"list\": [\"y\",\"x\"]}"};
  const std::vector<Json> intos = {{{"mine", true}}, {{"list", {"x", "z"}}}, {{"mine", "text"}, {"list", {"q"}}}, {{"o", {{"k", 1}}}},
                                   {{"a", 2}, {"new", {"m", "n"}}}};
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    if (dice.below(5) != 0) room.root.put("/etc/deep/x.json", dice.one_of(texts), dice.flip() ? 0600 : 0644);
    const auto before = room.fingerprint();
    const Json first = {{"path", "/etc/deep/x.json"}, {"into", dice.one_of(intos)}};
    const Json second = {{"path", "/etc/deep/x.json"}, {"into", dice.one_of(intos)}};
    CAPTURE(before, first.dump(), second.dump());
    live(room, "json", first, second);
    REQUIRE(room.fingerprint() == before);
  }
}

TEST_CASE("a service applied and given back is as it was", "[identity]") {
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    room.units.add("x.service", dice.flip() ? "active" : "inactive", dice.flip() ? "enabled" : "disabled");
    const bool masked = dice.below(4) == 0;
    if (masked) must(room.units.mask("x.service"));
    const auto before = room.fingerprint();
    Json declared = {{"unit", "x.service"}};
    switch (dice.below(3)) {
      case 0: declared["masked"] = true; break;
      case 1: declared["masked"] = false; [[fallthrough]];
      default:
        if (masked) declared["masked"] = false;
        if (dice.flip()) declared["running"] = dice.flip();
        if (dice.flip()) declared["enabled"] = dice.flip();
    }
    CAPTURE(before, declared.dump());
    live(room, "service", declared, declared);
    REQUIRE(room.fingerprint() == before);
  }
}

TEST_CASE("an account's shell and home applied and given back are as they were", "[identity]") {
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    room.accounts.groups["op"] = {"op"};
    room.accounts.entries["op"] = {dice.flip() ? "/bin/sh" : "/bin/zsh", "/home/op"};
    const auto before = room.fingerprint();
    Json declared = {{"name", "op"}, {"groups", {"docker"}}};
    if (dice.flip()) declared["shell"] = "/bin/zsh";
    if (dice.flip()) declared["home"] = dice.flip() ? "/home/op" : "/srv/op";
    live(room, "user", declared, declared);
    REQUIRE(room.fingerprint() == before);
  }
}

TEST_CASE("a container applied and given back leaves those that were there", "[identity]") {
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    const auto put = [&](const std::string& id, const std::string& name, const std::string& assignment) {
      room.engine.containers.push_back({.id = id, .name = name, .image = "i:1", .state = "running", .assignment = assignment, .pid = 9, .started_at = ""});
    };
    if (dice.flip()) put("s1", "stray", "");
    if (dice.flip()) put("o1", "other", "web");
    if (dice.flip()) put("w1", "web", "web");  // ours by name and label: taken over, and it stays
    const auto before = room.fingerprint();
    const Json declared = {{"spec", {{"name", "web"}, {"image", "i:1"}, {"assignment", "web"}}}};
    live(room, "container", declared, declared);
    REQUIRE(room.fingerprint() == before);
  }
}

TEST_CASE("a process applied and given back leaves no unit, no file and no link behind", "[identity]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    Dice dice{seed};
    Whole room;
    test::FakeStager stager;
    room.units.on_daemon_reload = [&] {
      const bool there = room.root.has("/etc/systemd/system/berth-x.service");
      if (there && !room.units.units.contains("berth-x.service")) room.units.add("berth-x.service");
      if (!there) room.units.units.erase("berth-x.service");
    };
    room.root.put("/etc/systemd/system/.keep", "");
    room.root.put("/opt/berth/.keep", "");
    const auto before = room.fingerprint();
    Json declared = {{"unit", "berth-x.service"}, {"command", {"/opt/berth/x/bin/x", "run"}}, {"account", "berth-x"}};
    if (dice.flip()) declared["groups"] = {"docker"};
    auto world = room.world();
    world.stager = &stager;
    const auto& t = type("process");
    const auto found = must(t.read(world, declared));
    const auto acted = must(t.apply(world, declared, found, nullptr));
    CHECK(room.fingerprint() != before);
    must(t.give_back(world, declared, found, acted.applied));
    // The account stays, as a membership does: files may be its own.
    CHECK(room.accounts.groups.contains("berth-x"));
    room.accounts.entries.clear();
    REQUIRE(room.fingerprint() == before);
  }
}
