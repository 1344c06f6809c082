#include "tests/sim/sim_fleet.h"

#include <fstream>

#include "host/release/link.h"
#include "host/release/stager.h"
#include "migrate/ledger.h"
#include "tests/host/apply/world.h"

namespace berth::test {
namespace {

constexpr auto kFleet = "mesh";
const std::vector<std::string> kVersions{"1.0.0", "1.1.0", "1.2.0"};

std::unique_ptr<bus::Bus> connected(const std::string& url) {
  bus::BusConfig config;
  config.url = url;
  return must(bus::Bus::connect(config, no_faults(), std::chrono::seconds{10}));
}

std::string name_of(int i) {
  auto digits = std::to_string(i);
  return "m" + std::string(4 - digits.size(), '0') + digits;
}

/// The states that hands leave behind, in turn.
std::string engine_file(int i) {
  const std::vector<std::string> by_hand{
      "", kByHand, "{\"live-restore\": false, \"insecure-registries\": [\"own:5000\"]}\n",
      "{\r\n\t\"max-concurrent-uploads\" : 3\r\n}"};
  return by_hand[static_cast<std::size_t>(i) % by_hand.size()];
}

/// Made and signed once: a campaign has hundreds of fleets.
struct ThreeReleases {
  Artifacts artifacts;
  std::vector<Json> described;
};
const ThreeReleases& three_releases() {
  static const auto three = [] {
    auto made = std::make_unique<ThreeReleases>();
    for (std::size_t i = 0; i < kVersions.size(); ++i) {
      const bool cli = i < 2;
      const bool holder = i > 0;
      made->described.push_back(made->artifacts.make(kVersions[i], cli, holder));
    }
    return made;
  }();
  return *three;
}

bool has_dnsmasq(int i) { return i % 4 == 1; }

}  // namespace

SimFleet::SimFleet(const Shape& shape)
    : bus_(connected(server_.url())),
      ground_{*bus_, kFleet, three_releases().artifacts.public_key(),
              shape.stage_each ? std::filesystem::path{} : folder_ / "releases"} {
  write_fleet(shape);
  for (int i = 0; i < shape.machines; ++i) {
    const auto name = name_of(i);
    machines_.push_back(
        std::make_unique<SimMachine>(name, sha256_hex(name).substr(0, 32), ground_, engine_file(i)));
    auto& machine = *machines_.back();
    by_name_[name] = &machine;
    holders_.add(machine.root + machine.config.holder_socket,
                 {[&machine] { return machine.holder_up(); }, [&machine] { return machine.seat(); }});
  }
  holders_.start();
  for (int i = 0; i < shape.machines; ++i) {
    auto& machine = *machines_[static_cast<std::size_t>(i)];
    const auto start = must(read_file(folder_ / "start.json"));
    auto stager = host::release::make_stager(machine.places.releases, {ground_.public_key}, no_faults());
    must(host::release::point_link(machine.places.link(),
                                   must(stager->stage(Json::parse(start), kVersions[0])), no_faults()));
    machine.host_starts();
    if (has_dnsmasq(i)) machine.seed_with_dnsmasq();
  }
  listen("push", true);
  listen("ask", false);
  for (int i = 0; i < 4; ++i) threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  threads_.emplace_back([this](const std::stop_token& stop) { keep_time(stop); });
  threads_.emplace_back([this](const std::stop_token& stop) { keep_broker(stop); });
}

SimFleet::~SimFleet() {
  subscriptions_.clear();
  for (auto& thread : threads_) thread.request_stop();
  threads_.clear();
}

void SimFleet::write_fleet(const Shape& shape) {
  Json releases = Json::object();
  const std::vector<std::string> names{"start", "with_holder", "without_cli"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& artifact = three_releases().described[i];
    if (i == 0) std::ofstream{folder_ / "start.json"} << artifact.dump();
    releases[names[i]] = {{"version", kVersions[i]}, {"platforms", {{"debian-12", artifact}}}};
    if (shape.stage_each) continue;
    std::filesystem::create_directories(ground_.shared_releases);
    must(host::release::make_stager(ground_.shared_releases, {ground_.public_key}, no_faults())
             ->stage(artifact, kVersions[i]));
  }
  Json machines = Json::object();
  for (int i = 0; i < shape.machines; ++i) {
    Json modules = {"docker"};
    if (i == 0 && shape.with_broker) modules.push_back("broker");
    if (has_dnsmasq(i)) modules.push_back("dnsmasq"), modules.push_back("private-network");
    machines[name_of(i)] = {{"machine_id", sha256_hex(name_of(i)).substr(0, 32)},
                            {"platform", "debian-12"},
                            {"account", "operator"},
                            {"capabilities", {"package-manager", "service-manager", "privileged"}},
                            {"modules", modules}};
  }
  Json bus = {{"url", server_.url()},
              {"user", "operator"},
              {"password_file", server_.password_file("operator", "any").native()}};
  if (shape.with_broker) bus["broker"] = {{"machine", name_of(0)}, {"module", "broker"}};
  const Json fleet = {
      {"name", kFleet},
      {"bus", bus},
      {"manifests", Json::array()},
      {"reach", {{"mesh-artifact-store", "registry.mesh:5000"}, {"mesh-resolver", "10.0.0.2"}}},
      {"machines", machines},
      {"settings",
       {{"broker", {{"image", "berth-broker:1"}}},
        {"docker", {{"live-restore", true}, {"resolver", nullptr}}}}},
      {"grants", {{{"caller", "operator"}, {"machine", "*"}, {"verbs", {"*"}}, {"class", "read"}}}},
      {"releases", releases},
      {"canary", {name_of(0)}},
      {"max_parallel", shape.max_parallel}};
  std::ofstream{fleet_file()} << fleet.dump(1);
}

void SimFleet::listen(const std::string& what, bool is_push) {
  const auto subject = std::string{kFleet} + ".*.host." + what;
  subscriptions_.push_back(must(bus_->subscribe(subject, [this, is_push](bus::Message message) {
    ++messages_;
    const auto from = message.subject.find('.') + 1;
    const auto at = by_name_.find(message.subject.substr(from, message.subject.find('.', from) - from));
    if (at == by_name_.end()) return;
    const std::scoped_lock lock{lock_};
    letters_.push_back({at->second, std::move(message), is_push});
    wake_.notify_one();
  })));
}

void SimFleet::work(const std::stop_token& stop) {
  for (;;) {
    std::unique_lock lock{lock_};
    if (!wake_.wait(lock, stop, [&] { return !letters_.empty(); })) return;
    auto letter = std::move(letters_.front());
    letters_.pop_front();
    lock.unlock();
    letter.machine->take(letter.message, letter.is_push);
  }
}

/// Everybody's supervisor: what died is started again a moment later.
void SimFleet::keep_time(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    // What is queued is sent as soon as it is there; this is for what could not be, and need not be often.
    std::this_thread::sleep_for(std::chrono::milliseconds{20} +
                                std::chrono::milliseconds{static_cast<int>(machines_.size())});
    for (auto& machine : machines_) {
      machine->revive();
      machine->on_time();
      machine->holder_killed = false;
    }
  }
}

/// A thread of its own: everybody else may be waiting for the broker.
void SimFleet::keep_broker(const std::stop_token& stop) {
  std::unique_lock lock{broker_lock_};
  while (broker_gone_.wait(lock, stop, [&] { return !server_.running(); })) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds{30});
    lock.lock();
    server_.start();
  }
}

void SimFleet::kill_broker() {
  const std::scoped_lock lock{broker_lock_};
  server_.kill();
  broker_gone_.notify_one();
}

void SimFleet::settle() {
  for (int i = 0; i < 500; ++i) {
    bool all = bus_->connected();
    for (auto& machine : machines_) all = all && machine->alive();
    if (all) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  }
}

std::string SimFleet::portrait() {
  auto store = must(store::Store::open(store_file(), store::Role::fleet, system_clock(), no_faults()));
  const auto migration = must(migrate::newest_migration(store, kFleet));
  std::string text = !migration ? "none\n" : migration->closed_at ? "closed\n" : "open\n";
  if (migration) {
    for (const auto& row : must(migrate::Ledger(store, migration->id).runs()))
      text += std::to_string(row.step) + " " + row.machine + " " + row.state + "\n";
  }
  for (auto& machine : machines_) text += machine->portrait();
  return text;
}

}  // namespace berth::test
