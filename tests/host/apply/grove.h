#pragma once
// A machine with something of every type of resource on it, and a module that declares one of each.
#include "tests/host/apply/world.h"
#include "tests/support/fake_accounts.h"

namespace berth::test {

inline constexpr auto kConf = "/etc/shop/shop.conf";
inline constexpr auto kOther = "/etc/shop/other.json";
inline constexpr auto kUnits = "/etc/systemd/system/";

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

}  // namespace berth::test
