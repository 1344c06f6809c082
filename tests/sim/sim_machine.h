#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "bus/bus.h"
#include "host/apply/applier.h"
#include "host/release/switch.h"
#include "tests/sim/sim_engine.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// What the machines of one simulated fleet share.
struct SimGround {
  bus::Bus& bus;
  std::string fleet;
  std::string public_key;
  std::filesystem::path shared_releases;  // empty: each machine stages its own
};

/// One machine: a folder that stands for /, an engine and a service manager in memory, the host's own code on
/// its own store, and a holder that answers its socket and emits events. The host may be dead: then nobody
/// answers, until `revive` starts it again on the same store.
struct SimMachine {
  SimMachine(std::string name, std::string machine_id, const SimGround& ground,
             const std::string& engine_file);
  SimMachine(const SimMachine&) = delete;
  ~SimMachine();

  // The host's process. Each call takes the machine's lock; a death inside ends it and leaves the store as it
  // is.
  void boot();
  void revive();
  bool alive() const { return alive_; }
  void take(const bus::Message& message, bool is_push);
  void on_time();  // queued reports and events, and a confirmation that did not come

  // The holder.
  bool holder_up() const { return holder_up_ && !holder_killed; }
  Json seat() const;
  void emit(std::string_view kind, const host::path::Seen& container);

  void seed_with_dnsmasq();  // records of modules that wrote the engine's file before
  std::string portrait();
  std::string version() const;

  const std::string name, machine_id;
  const SimGround& ground;
  TempFolder folder;
  std::string root;
  SimSeam seam{*this};
  std::recursive_mutex engine_lock;
  FakeUnits unit_table{};
  FakePackages packages{};
  std::unique_ptr<FakeEngine> engine;
  SimUnits units{*this};
  host::Config config;
  host::release::Places places;
  std::atomic<bool> holder_up_{false};
  std::atomic<int> engine_calls{0};
  std::atomic<int> engine_down_at{0};  // the engine is away for some calls from its n-th on; 0: never
  std::atomic<int> engine_down_for{0};
  std::atomic<bool> holder_killed{false};

  void watch_starts();
  void host_starts();
  void host_stops();

 private:
  struct Process;
  void carry(const std::function<void(Process&)>& what);
  Result<Json> answer(Process& process, const bus::Message& message, bool is_push);
  void reply(const bus::Message& message, const std::string& text);
  void prove(Process& process);
  void drain(Process& process);
  void send_events();
  void watch(int life);

  std::recursive_mutex process_lock_;
  std::unique_ptr<Process> process_;
  std::atomic<bool> alive_{false};
  std::atomic<bool> wanted_{false};  // its unit was started, and nobody stopped it
  std::unique_ptr<host::resources::Stager> stager_;
  std::mutex events_lock_;
  std::deque<Json> events_;
  int event_seq_ = 0;
  int looks_ = 0;  // of the thread that keeps time alone
  std::atomic<int> watch_life_{0};
  std::vector<std::jthread> watches_;
};

}  // namespace berth::test
