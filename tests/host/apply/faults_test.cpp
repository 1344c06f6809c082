// Every act of an apply goes wrong, one after the other and in every way: the process dies there, the disk is
// full, a device fails, a right is missing. After each the next start finishes or gives back, and what was found
// is never lost.
#include <cerrno>

#include "tests/host/apply/world.h"
#include "tests/support/fake_accounts.h"

using namespace berth;
using namespace berth::test;

namespace {

constexpr auto kConf = "/etc/shop/shop.conf";
constexpr auto kOther = "/etc/shop/other.json";
constexpr auto kUnits = "/etc/systemd/system/";

/// Birch with an account, a service and a hand-made file, as somebody left them.
struct Grove {
  Grove() {
    accounts.groups["op"] = {"op"};
    accounts.entries["op"] = {"/bin/sh", "/home/op"};
    birch.site->accounts = &accounts;
    birch.site->stager = &stager;
    birch.room.units.add("shop.service", "inactive", "disabled");
    birch.room.packages.offered["shop"] = "1.0";
    birch.room.root.put(kConf, "by hand\n", 0640);
    birch.room.root.put(kOther, "{\"theirs\": [1, 2],  \"n\": 12345678901234567890}\n");
    birch.room.root.put(kUnits + std::string{"shop.service"}, "[Service]\nExecStart=/usr/bin/shop\n");
    birch.room.root.put("/opt/berth/.keep", "");
    birch.room.root.put("/var/lib/berth/.keep", "");  // berth's own: what an edit under way is kept in
    birch.put_file(kByHand);
    birch.room.units.on_daemon_reload = [this] { read_units(); };
    read_units();
  }
  /// As systemd: what a unit is, is what its files said when they were read.
  void read_units() {
    auto& units = birch.room.units.units;
    loaded.clear();
    for (const std::string name : {"shop.service", "shop.service.d/berth.conf", "shop-prune.timer", "berth-shop.service"}) {
      const bool there = birch.room.root.has(kUnits + name);
      if (there) loaded += name + ": " + birch.room.root.read(kUnits + name) + "\n";
      if (name.ends_with(".conf")) continue;
      if (there && !units.contains(name)) birch.room.units.add(name);
      if (!there) units.erase(name);
    }
  }
  /// One resource of every type there is.
  static Json shop() {
    return {{"name", "shop"},
            {"assignment", "shop"},
            {"claims", Json::array()},
            {"resources",
             {{{"id", "package"}, {"type", "package"}, {"name", "shop"}},
              {{"id", "group"}, {"type", "user"}, {"name", "op"}, {"groups", {"docker"}}, {"shell", "/bin/zsh"}},
              {{"id", "conf"}, {"type", "file"}, {"path", kConf}, {"mode", "0644"}, {"content", "ours\n"}},
              {{"id", "dropin"}, {"type", "file"}, {"path", kUnits + std::string{"shop.service.d/berth.conf"}}, {"mode", "0644"}, {"content", "[Service]\nNice=5\n"}},
              {{"id", "unit"}, {"type", "file"}, {"path", kUnits + std::string{"shop.service"}}, {"mode", "0644"}, {"content", "[Service]\nExecStart=/usr/bin/shop --ours\n"}},
              {{"id", "clock"}, {"type", "file"}, {"path", kUnits + std::string{"shop-prune.timer"}}, {"mode", "0644"}, {"content", "[Timer]\nOnCalendar=weekly\n"}},
              {{"id", "other"}, {"type", "json"}, {"path", kOther}, {"into", {{"ours", true}}}},
              {{"id", "daemon"}, {"type", "json"}, {"path", kFile}, {"into", {{"live-restore", true}}}},
              {{"id", "run"},
               {"type", "service"},
               {"unit", "shop.service"},
               {"running", true},
               {"enabled", true},
               {"on_change", {{"of", {"conf"}}, {"do", "restart"}}}},
              {{"id", "ticks"}, {"type", "service"}, {"unit", "shop-prune.timer"}, {"running", true}, {"enabled", true}},
              {{"id", "program"}, {"type", "process"}, {"unit", "berth-shop.service"}, {"command", {"/opt/berth/x"}}, {"account", "berth-shop"}},
              {{"id", "page"}, {"type", "container"}, {"spec", {{"name", "page"}, {"image", "berth-practice:1"}, {"assignment", "shop"}}}}}}};
  }
  /// What the machine is, but for what the documents keep.
  std::string machine() {
    std::string text = birch.room.root.tree();
    for (const auto& [name, u] : birch.room.units.units) text += name + " " + u.active + " " + u.file + "\n";
    text += "systemd has read:\n" + loaded;
    text += accounts.entries["op"].shell + "\n";
    for (const auto& c : birch.engine.containers) text += c.name + " " + c.state + " " + c.assignment + "\n";
    return text;
  }
  /// The records but for what differs between two equal machines: a container's id, and whether systemd had read
  /// a unit's file of ours by the time its service was looked at.
  std::string found() {
    std::string text;
    for (const auto& record : must(host::Records(birch.host().store, "birch").all())) {
      auto found = record.found;
      if (record.type == "service") found.erase("exists");
      text += record.id + " " + record.state + " " + found.dump() + "\n";
    }
    return text;
  }
  Json apply() { return birch.push("apply", {shop()}); }
  Json give_back() {
    Json ids = Json::array();
    const auto module = shop();
    for (const auto& resource : module["resources"]) ids.push_back("shop." + resource["id"].get<std::string>());
    return birch.push("apply", Json::array(), {{"give_back", ids}});
  }
  FakeAccounts accounts;
  FakeStager stager;
  std::string loaded;
  Birch birch;
};

struct Fault {
  std::string name;
  int error;  // 0: the process dies
};
const std::vector<Fault> kFaults = {{"dies", 0}, {"ENOSPC", ENOSPC}, {"EIO", EIO}, {"EACCES", EACCES}};

/// Takes and carries out a push with the n-th act going wrong, and lets the next process go on. False when the
/// run has fewer acts.
bool goes_wrong(Grove& grove, const Json& body, const Fault& fault, int n) {
  auto& seam = grove.birch.room.seam;
  grove.birch.host();
  seam.acts.clear();
  (fault.error == 0 ? seam.die_at : seam.fail_at) = n;
  seam.with_errno = fault.error;
  try {
    if (grove.birch.host().applier.take(body)) static_cast<void>(grove.birch.host().applier.work());
  } catch (const CutSeam::Died&) {
  }
  const bool sprung = static_cast<int>(seam.acts.size()) >= n;
  grove.birch.die();
  must(grove.birch.host().applier.start());
  must(grove.birch.host().applier.again());
  return sprung;
}

void sweep(const Fault& fault, int step) {
  Grove whole;
  const auto untouched = whole.machine();
  whole.birch.carry_out(whole.apply());
  const auto applied = whole.machine();
  const auto found = whole.found();
  REQUIRE(found.find("intended") == std::string::npos);
  REQUIRE(applied != untouched);
  int n = 1;
  for (;; n += step) {
    CAPTURE(fault.name, n);
    REQUIRE(n < 1000);
    Grove grove;
    const auto body = grove.apply();
    const bool sprung = goes_wrong(grove, body, fault, n);
    // One that was never taken can be sent again; one that was is carried out by itself.
    if (grove.birch.state_of("p1") == "unknown") {
      REQUIRE(grove.machine() == untouched);
      grove.birch.carry_out(body);
    }
    REQUIRE(grove.machine() == applied);
    REQUIRE(grove.found() == found);
    // What was found is still known: all of it goes back, whatever went wrong on the way there too.
    const auto back = grove.give_back();
    goes_wrong(grove, back, fault, n);
    if (grove.birch.state_of("p2") == "unknown") grove.birch.carry_out(back);
    REQUIRE(grove.machine() == untouched);
    REQUIRE(grove.found().empty());
    if (!sprung) break;
  }
  CHECK(n > 40);
}

}  // namespace

TEST_CASE("an apply in which an act goes wrong ends as one in which none did, and all of it can be given back",
          "[faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep(fault, 9);
}

TEST_CASE("an apply in which any act goes wrong, each of them, ends as one in which none did", "[.slow][faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep(fault, 1);
}

namespace {

std::string machine_of(Birch& birch) {
  return birch.room.root.tree() + birch.records() + birch.room.units.unit("docker.service").active;
}

/// All of a hand_over or nothing of it, and from either the way leads back to the first bytes.
void sweep_hand_over(const Fault& fault, int step) {
  Birch whole;
  seed(whole);
  const auto untouched = machine_of(whole);
  whole.carry_out(hand_over(whole));
  const auto handed_over = machine_of(whole);
  int finished = 0;
  for (int n = 1;; n += step) {
    CAPTURE(fault.name, n);
    REQUIRE(n < 1000);
    Birch birch;
    seed(birch);
    birch.room.seam.acts.clear();
    (fault.error == 0 ? birch.room.seam.die_at : birch.room.seam.fail_at) = n;
    birch.room.seam.with_errno = fault.error;
    const auto body = hand_over(birch);
    try {
      if (birch.host().applier.take(body)) static_cast<void>(birch.host().applier.work());
    } catch (const CutSeam::Died&) {
    }
    const bool sprung = static_cast<int>(birch.room.seam.acts.size()) >= n;
    birch.die();
    must(birch.host().applier.start());
    const bool done = birch.state_of("p2") == "applied";
    REQUIRE(machine_of(birch) == (done ? handed_over : untouched));
    finished += done ? 1 : 0;
    if (!sprung) break;
  }
  CHECK(finished > 0);
}

}  // namespace

TEST_CASE("a hand_over in which an act goes wrong is there whole or not at all", "[faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep_hand_over(fault, 7);
}

TEST_CASE("a hand_over in which any act goes wrong, each of them, is there whole or not at all", "[.slow][faults]") {
  const auto fault = GENERATE(from_range(kFaults));
  sweep_hand_over(fault, 1);
}
