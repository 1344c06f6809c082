#pragma once
// An engine as the recordings show it: what it takes of its file at a reload, what it refuses without a word,
// what it never un-takes; and the containers it holds.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>

#include "base/file.h"
#include "base/json.h"
#include "holder/client/spec.h"
#include "host/path/path.h"

namespace berth::test {

class FakeEngine final : public host::path::Path {
 public:
  explicit FakeEngine(std::string file, const Clock& clock = system_clock(), Seam& seam = no_faults())
      : file_(std::move(file)), clock_(clock), seam_(seam) {}

  host::path::Kind kind() const override { return host::path::Kind::holder; }
  Result<std::vector<host::path::Seen>> list() override {
    ++lists;
    if (down) return silent();
    return containers;
  }
  Result<Json> inspect(const std::string& id) override {
    if (down) return silent();
    for (const auto& one : containers) {
      if (one.id == id || one.name == id)
        return Json{{"id", one.id}, {"name", one.name}, {"document", {{"ResolvConfPath", "/resolv/" + one.name}, {"Mounts", mounts[one.name]}, {"HostConfig", {{"Dns", dns[one.name]}}}}}};
    }
    return fail(Errc::not_found, "no container " + id);
  }
  /// As `differing` has it; else by the image alone.
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override {
    if (down) return silent();
    if (differing.contains(id)) return differing.at(id);
    for (const auto& one : containers) {
      if (one.id != id) continue;
      return one.image.ends_with(spec.image) ? std::vector<std::string>{} : std::vector<std::string>{"image"};
    }
    return fail(Errc::not_found, "no container " + id);
  }
  Result<std::string> create(const holder::client::ContainerSpec& spec) override {
    TRY(seam_.before("engine.create", spec.name));
    if (down) return silent();
    for (const auto& one : containers) {
      if (one.name == spec.name && one.id != spec.replaces)
        return fail(Errc::conflict, "the name " + spec.name + " is in use");
    }
    acts.push_back("create " + spec.name + (spec.replaces.empty() ? "" : " for " + spec.replaces));
    if (!keeps_replaced) std::erase_if(containers, [&](const auto& one) { return one.id == spec.replaces; });
    for (auto& one : containers) {
      if (one.id == spec.replaces) one.name += ".was", one.state = "exited", one.pid = 0;
    }
    host::path::Seen seen;
    seen.id = "id" + std::to_string(++made_);
    seen.name = spec.name;
    seen.image = spec.image;
    seen.assignment = spec.assignment;
    seen.state = spec.start ? "running" : "created";
    seen.pid = spec.start ? 1000 + made_ : 0;
    containers.push_back(seen);
    return seen.id;
  }
  Status start(const std::string& id) override { return act("start", id, [](auto& c) { c.state = "running", c.pid = 4242; }); }
  Status stop(const std::string& id, std::chrono::seconds) override {
    return act("stop", id, [](auto& c) { c.state = "exited", c.pid = 0; });
  }
  Status remove(const std::string& id) override {
    TRY(act("remove", id, [](auto&) {}));
    std::erase_if(containers, [&](const auto& c) { return c.id == id; });
    return {};
  }
  Status signal(const std::string& id, std::string_view signal) override {
    return act("signal " + std::string{signal}, id, [](auto&) {});
  }
  Result<host::path::EngineView> engine() override {
    if (down) return silent();
    return view;
  }
  Result<std::string> engine_socket() override { return stated_socket; }
  Result<bool> reloaded_since(Time since) override {
    if (down) return silent();
    return last_reload && *last_reload >= since;
  }

  /// SIGHUP: silent about a file it refuses, and its event only when all was taken.
  void reload() {
    ++reloads;
    const auto text = read_file(file_);
    const auto document = text ? Json::parse(*text, nullptr, false) : Json{Json::value_t::discarded};
    if (text) seen_files.push_back(*text);
    if (on_reload) on_reload(*this, document);
    if (!document.is_object() || refuses) return;
    if (document.contains("live-restore") && takes_live_restore) view.live_restore = document["live-restore"] == true;
    if (document.contains("insecure-registries")) {
      view.insecure_registries = document["insecure-registries"].get<std::vector<std::string>>();
    }
    last_reload = clock_.now();
  }

  host::path::EngineView view;
  std::vector<host::path::Seen> containers;
  std::vector<std::string> acts, seen_files;
  std::optional<Time> last_reload;
  std::function<void(FakeEngine&, const Json&)> on_reload;
  int reloads = 0, lists = 0;
  std::map<std::string, std::vector<std::string>> differing;  // by id
  std::map<std::string, Json> mounts, dns;  // by name, as the engine's document has them
  std::string stated_socket;    // empty: as of a command line
  bool keeps_replaced = false;  // the removal of a replaced one fails
  bool down = false, refuses = false, takes_live_restore = true;

 private:
  Error silent() const { return fail(Errc::holder_silent, "the holder does not answer"); }
  Status act(const std::string& verb, const std::string& id, const std::function<void(host::path::Seen&)>& f) {
    TRY(seam_.before("engine." + verb, id));
    if (down) return silent();
    acts.push_back(verb + " " + id);
    for (auto& one : containers) {
      if (one.id == id) return f(one), Status{};
    }
    return fail(Errc::not_found, "no container " + id);
  }

  std::string file_;
  const Clock& clock_;
  Seam& seam_;
  int made_ = 0;
};

}  // namespace berth::test
