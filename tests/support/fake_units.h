#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "host/resources/packages.h"
#include "host/resources/units.h"

namespace berth::test {

/// systemd as a table of units. Acts change it and are written down; a test hooks what a reload does.
class FakeUnits final : public host::resources::Units {
 public:
  explicit FakeUnits(Seam& seam = no_faults()) : seam_(seam) {}

  host::resources::UnitState& unit(const std::string& name) { return units[name]; }
  /// A loaded unit, its file text as given.
  host::resources::UnitState& add(const std::string& name, const std::string& active = "inactive",
                                  const std::string& file = "disabled") {
    auto& state = units[name];
    state.load = "loaded";
    state.active = active;
    state.file = file;
    return state;
  }

  Result<host::resources::UnitState> state(const std::string& name) override {
    if (down) return fail(Errc::unreachable, "the service manager cannot be asked");
    const auto at = units.find(name);
    return at == units.end() ? host::resources::UnitState{} : at->second;
  }
  Status start(const std::string& name) override { return act("start", name, [](auto& u) { u.active = "active"; }); }
  Status stop(const std::string& name) override { return act("stop", name, [](auto& u) { u.active = "inactive"; }); }
  Status restart(const std::string& name) override { return act("restart", name, [](auto& u) { u.active = "active"; }); }
  Status enable(const std::string& name) override { return act("enable", name, [](auto& u) { u.file = "enabled"; }); }
  Status disable(const std::string& name) override { return act("disable", name, [](auto& u) { u.file = "disabled"; }); }
  /// A link to nothing in the place of its file; what it was comes back with the unmasking.
  Status mask(const std::string& name) override {
    TRY(seam_.before("unit.mask", name));
    acts.push_back("mask " + name);
    auto& u = units[name];
    if (u.load != "masked") masked_files[name] = {u.load, u.file};
    u.load = u.file = "masked";
    return {};
  }
  Status unmask(const std::string& name) override {
    return act("unmask", name, [&](auto& u) {
      if (u.load == "masked") std::tie(u.load, u.file) = masked_files[name];
    });
  }
  Status reset_failed(const std::string& name) override { return act("reset_failed", name, [](auto&) {}); }
  Status reload(const std::string& name) override {
    TRY(act("reload", name, [](auto&) {}));
    if (on_reload) on_reload();
    return {};
  }
  Status daemon_reload() override {
    TRY(seam_.before("unit.daemon_reload", "systemd"));
    acts.push_back("daemon_reload");
    if (on_daemon_reload) on_daemon_reload();
    return {};
  }
  Result<std::vector<host::resources::UnitFile>> files(const std::string& name) override {
    const auto at = unit_files.find(name);
    if (at == unit_files.end()) return fail(Errc::not_found, "there is no unit file of " + name);
    return at->second;
  }

  std::string journal_since(const std::string&, Time) override { return journal; }

  std::string journal;
  std::map<std::string, host::resources::UnitState> units;
  std::map<std::string, std::vector<host::resources::UnitFile>> unit_files;
  std::map<std::string, std::pair<std::string, std::string>> masked_files;  // load and file of before
  std::vector<std::string> acts;
  std::function<void()> on_reload, on_daemon_reload;
  bool down = false;

 private:
  Status act(const std::string& verb, const std::string& name, const std::function<void(host::resources::UnitState&)>& f) {
    TRY(seam_.before("unit." + verb, name));
    acts.push_back(verb + " " + name);
    const auto at = units.find(name);
    if (at == units.end() || !at->second.exists()) return fail(Errc::not_found, verb + " " + name + ": no such unit");
    f(at->second);
    return {};
  }

  Seam& seam_;
};

/// A package manager whose archive has what `offered` names.
class FakePackages final : public host::resources::Packages {
 public:
  explicit FakePackages(Seam& seam = no_faults()) : seam_(seam) {}

  Result<std::optional<std::string>> installed(const std::string& name) override {
    const auto at = versions.find(name);
    return at == versions.end() ? std::optional<std::string>{} : std::optional{at->second};
  }
  Status install(const std::string& name) override {
    TRY(seam_.before("package.install", name));
    const auto at = offered.find(name);
    if (at == offered.end()) return fail(Errc::failed, "apt-get: Unable to locate package " + name);
    acts.push_back("install " + name);
    versions[name] = at->second;
    return {};
  }

  std::map<std::string, std::string> versions, offered;
  std::vector<std::string> acts;

 private:
  Seam& seam_;
};

}  // namespace berth::test
