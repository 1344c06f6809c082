#pragma once
// A machine with an engine, a service manager, packages and a host's store, all of it in a folder and in
// memory.
#include <sys/statvfs.h>

#include <memory>
#include <string>

#include "base/fields.h"
#include "base/hash.h"
#include "host/apply/applier.h"
#include "host/apply/seat.h"
#include "tests/host/resources/room.h"
#include "tests/support/fake_engine.h"

namespace berth::test {

inline bool runs_programs(const char* folder) {
  struct statvfs about {};
  return ::access(folder, W_OK) == 0 && ::statvfs(folder, &about) == 0 && (about.f_flag & ST_NOEXEC) == 0;
}
/// Hundreds of machines are made and killed here, each commit waited for: in memory where that can be had.
inline const bool kInMemory = runs_programs("/dev/shm") && ::setenv("TMPDIR", "/dev/shm", 0) == 0;

/// The one engine that the path makers below lead to.
inline FakeEngine*& engine_here() {
  static FakeEngine* engine = nullptr;
  return engine;
}

class ForwardPath final : public host::path::Path {
 public:
  explicit ForwardPath(host::path::Kind kind) : kind_(kind) {}
  host::path::Kind kind() const override { return kind_; }
  Result<std::vector<host::path::Seen>> list() override { return engine_here()->list(); }
  Result<Json> inspect(const std::string& c) override { return engine_here()->inspect(c); }
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& s) override {
    return engine_here()->differences(id, s);
  }
  Result<std::string> create(const holder::client::ContainerSpec& s) override {
    return engine_here()->create(s);
  }
  Status start(const std::string& id) override { return engine_here()->start(id); }
  Status stop(const std::string& id, std::chrono::seconds g) override { return engine_here()->stop(id, g); }
  Status remove(const std::string& id) override { return engine_here()->remove(id); }
  Status signal(const std::string& id, std::string_view s) override { return engine_here()->signal(id, s); }
  Result<host::path::EngineView> engine() override { return engine_here()->engine(); }
  Result<std::string> engine_socket() override { return engine_here()->engine_socket(); }
  Result<bool> reloaded_since(Time since) override { return engine_here()->reloaded_since(since); }

 private:
  host::path::Kind kind_;
};

inline std::unique_ptr<host::path::Path> forward_cli(Seam&) {
  return std::make_unique<ForwardPath>(host::path::Kind::cli);
}
inline std::unique_ptr<host::path::Path> forward_holder(const std::string&, Seam&) {
  return std::make_unique<ForwardPath>(host::path::Kind::holder);
}

inline constexpr auto kMachineId = "0123456789abcdef0123456789abcdef";
inline constexpr auto kFile = "/etc/docker/daemon.json";
inline const host::path::Linked kStartRelease{forward_cli, nullptr};
inline const host::path::Linked kBothRelease{forward_cli, forward_holder};
inline const host::path::Linked kHolderRelease{nullptr, forward_holder};

/// One machine. `host()` is a host process on it: made anew after a death, it goes on from the store.
class Birch {
 public:
  explicit Birch(host::path::Linked linked = kStartRelease) {
    engine_here() = &engine;
    config.fleet = "mesh";
    config.machine = "birch";
    config.subjects = {"mesh.birch.host.push", "mesh.birch.host.ask", "mesh.birch.host.report"};
    config.store = folder / "host.db";
    config.holder_socket = "/run/berth/holder.sock";
    config.seat_file = "/etc/berth/seat.json";
    config.engine_file = kFile;
    config.engine_unit = "docker.service";
    room.root.put("/etc/berth/.keep", "");
    room.root.put("/etc/docker/.keep", "");
    room.units.add("docker.service", "active", "enabled");
    room.units.unit_files["docker.service"] = {
        {"/lib/systemd/system/docker.service", "[Service]\nExecStart=/usr/sbin/dockerd -H fd://\n"}};
    room.units.on_reload = [this] { engine.reload(); };
    room.packages.offered = {{"docker.io", "20.10.24"}, {"dnsmasq", "2.89"}};
    room.packages.versions = {{"docker.io", "20.10.24"}};
    add_container("web", "web");
    add_container("stray", "");
    release(linked);
  }

  void release(host::path::Linked linked, std::string version = "1.0.0") {
    host_.reset();
    site = std::make_unique<host::apply::Site>(
        host::apply::Site{config, linked, room.seam, room.clock, room.units, room.packages, nullptr,
                          room.root.path, kMachineId, std::move(version)});
    site->pause = [](std::chrono::milliseconds) {};
    site->made_at_once = 1;  // the acts in one order, run for run
  }

  struct Host {
    Host(store::Store s, const host::apply::Site& site) : store(std::move(s)), applier(store, site) {}
    store::Store store;
    host::apply::Applier applier;
  };
  Host& host() {
    if (!host_)
      host_ = std::make_unique<Host>(
          must(store::Store::open(config.store, store::Role::host, room.clock, room.seam)), *site);
    return *host_;
  }
  /// The process is gone; what it held open is closed as the kernel would.
  void die() {
    room.seam.calm();
    host_.reset();
  }

  Json push(std::string kind, Json modules, Json more = Json::object()) {
    const auto sequence = ++sequence_;
    Json body = {{"push_id", "p" + std::to_string(sequence)},
                 {"fleet", "mesh"},
                 {"machine", "birch"},
                 {"machine_id", kMachineId},
                 {"token", 1},
                 {"runner", "test"},
                 {"sequence", sequence},
                 {"kind", std::move(kind)},
                 {"give_back", Json::array()},
                 {"declaration", {{"modules", std::move(modules)}}},
                 {"composed_at", "2026-01-02T03:04:05Z"}};
    body.update(more);
    return body;
  }
  /// Takes and carries out; the report the push ended with.
  Json carry_out(const Json& body) {
    const auto answer = must(host().applier.take(body));
    must(host().applier.work());
    return report_of(body["push_id"]);
  }
  Json report_of(const std::string& push_id) {
    const auto row = must(host::Pushes(host().store, "birch").find(push_id));
    return row ? row->report : Json{};
  }
  std::string state_of(const std::string& push_id) {
    const auto row = must(host::Pushes(host().store, "birch").find(push_id));
    return row ? row->state : "unknown";
  }
  /// The records as text, but for when they were written: equal texts are equal records, found states
  /// included.
  std::string records() {
    std::string text;
    for (const auto& record : must(host::Records(host().store, "birch").all())) {
      auto document = record.document();
      document.erase("updated_at");
      text += document.dump() + "\n";
    }
    return text;
  }
  Json record(const std::string& id) {
    const auto found = must(host::Records(host().store, "birch").find(id));
    return found ? found->document() : Json{};
  }
  std::string file() const { return room.root.read(kFile); }
  void put_file(const std::string& text) { room.root.put(kFile, text); }
  void add_container(const std::string& name, const std::string& assignment) {
    host::path::Seen seen;
    seen.id = sha256_hex(name);
    seen.name = name;
    seen.image = "berth-practice:1";
    seen.state = "running";
    seen.assignment = assignment;
    seen.pid = 100 + static_cast<std::int64_t>(engine.containers.size());
    seen.started_at = "2026-01-01T00:00:00.000000000Z";
    engine.containers.push_back(seen);
  }

  Room room;
  TempFolder folder;
  FakeEngine engine{room.root.at(kFile), room.clock, room.seam};
  host::Config config;
  std::unique_ptr<host::apply::Site> site;

 private:
  std::unique_ptr<Host> host_;
  std::int64_t sequence_ = 0;
};

/// The parts of the birch of the practice fleet.
inline Json dnsmasq() {
  return {{"name", "dnsmasq"},
          {"assignment", "dnsmasq"},
          {"claims", Json::array()},
          {"resources",
           {{{"id", "daemon"},
             {"type", "json"},
             {"path", kFile},
             {"into", {{"live-restore", true}, {"dns", {"10.0.0.2"}}}}},
            {{"id", "runtime"},
             {"type", "service"},
             {"unit", "docker.service"},
             {"running", true},
             {"enabled", true},
             {"on_change", {{"of", {"daemon"}}, {"do", "reload"}}}}}}};
}
inline Json private_network() {
  return {{"name", "private-network"},
          {"assignment", "private-network"},
          {"claims", Json::array()},
          {"resources",
           {{{"id", "registry-trust"},
             {"type", "json"},
             {"path", kFile},
             {"into", {{"insecure-registries", {"registry.mesh:5000"}}}}}}}};
}
inline Json docker() {
  return {{"name", "docker"},
          {"assignment", "docker"},
          {"claims", {"node-container-runtime"}},
          {"resources",
           {{{"id", "package"}, {"type", "package"}, {"name", "docker.io"}},
            {{"id", "daemon"},
             {"type", "json"},
             {"path", kFile},
             {"into", {{"live-restore", true}, {"insecure-registries", {"registry.mesh:5000"}}}}},
            {{"id", "runtime"},
             {"type", "service"},
             {"unit", "docker.service"},
             {"running", true},
             {"enabled", true},
             {"on_change", {{"of", {"daemon"}}, {"do", "reload"}}}}}}};
}
inline Json with_resource(Json module, Json resource) {
  module["resources"].push_back(std::move(resource));
  return module;
}
inline Json seat_of_birch() {
  return {{"fleet", "mesh"},
          {"machine", "birch"},
          {"seat", "node-container-runtime"},
          {"module", "docker"},
          {"held", true},
          {"subjects", Json::object()},
          {"stream", "BERTH_MESH_EVENTS"},
          {"grants", Json::array()}};
}

/// Odd spelling on purpose: what is given back must be these bytes.
inline constexpr auto kByHand = "{\n   \"log-driver\": \"json-file\",\n\t\"debug\" :false}\n";

/// Birch as the old host left it, and what a hand_over there is asked.
inline void seed(Birch& birch) {
  birch.put_file(kByHand);
  birch.carry_out(birch.push("apply", {dnsmasq(), private_network()}));
}
inline Json give_back_of_seed() {
  return {"dnsmasq.daemon", "dnsmasq.runtime", "private-network.registry-trust"};
}
inline Json hand_over(Birch& birch, Json more = Json::object()) {
  more["give_back"] = give_back_of_seed();
  return birch.push("hand_over", {docker()}, more);
}

}  // namespace berth::test
