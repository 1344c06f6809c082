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
    birch.room.root.put("/etc/systemd/system/.keep", "");
    birch.room.root.put("/opt/berth/.keep", "");
    birch.room.root.put("/var/lib/berth/.keep", "");  // berth's own: what an edit under way is kept in
    birch.put_file(kByHand);
    birch.room.units.on_daemon_reload = [this] {
      auto& units = birch.room.units.units;
      const bool there = birch.room.root.has("/etc/systemd/system/berth-shop.service");
      if (there && !units.contains("berth-shop.service")) birch.room.units.add("berth-shop.service");
      if (!there) units.erase("berth-shop.service");
    };
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
              {{"id", "other"}, {"type", "json"}, {"path", kOther}, {"into", {{"ours", true}}}},
              {{"id", "daemon"}, {"type", "json"}, {"path", kFile}, {"into", {{"live-restore", true}}}},
              {{"id", "run"},
               {"type", "service"},
               {"unit", "shop.service"},
               {"running", true},
               {"enabled", true},
               {"on_change", {{"of", {"conf"}}, {"do", "restart"}}}},
              {{"id", "program"}, {"type", "process"}, {"unit", "berth-shop.service"}, {"command", {"/opt/berth/x"}}, {"account", "berth-shop"}},
              {{"id", "page"}, {"type", "container"}, {"spec", {{"name", "page"}, {"image", "berth-practice:1"}, {"assignment", "shop"}}}}}}};
  }
  /// What the machine is, but for what the documents keep.
  std::string machine() {
    std::string text = birch.room.root.tree();
    for (const auto& [name, u] : birch.room.units.units) text += name + " " + u.active + " " + u.file + "\n";
    text += accounts.entries["op"].shell + "\n";
    for (const auto& c : birch.engine.containers) text += c.name + " " + c.state + " " + c.assignment + "\n";
    return text;
  }
  /// The records but for what differs between two equal machines: a container's id.
  std::string found() {
    std::string text;
    for (const auto& record : must(host::Records(birch.host().store, "birch").all()))
      text += record.id + " " + record.state + " " + record.found.dump() + "\n";
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
