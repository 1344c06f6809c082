#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bus/bus.h"
#include "migrate/migrate.h"
#include "tests/host/release/artifact.h"
#include "tests/sim/sim_holders.h"
#include "tests/sim/sim_machine.h"
#include "tests/support/nats_server.h"

namespace berth::test {

/// A whole fleet in this process: a real broker, the host's own code a machine, engines in memory. What runs
/// it is the runner's own code, or the program `berth` as another process.
class SimFleet {
 public:
  struct Shape {
    int machines = 2;
    bool stage_each = true;  // each machine fetches, checks and unpacks its releases; else they are there
    int max_parallel = 1;
    bool with_broker =
        true;  // the first machine carries the broker's module, so that step 3 changes permissions
  };
  explicit SimFleet(const Shape& shape);
  ~SimFleet();

  std::filesystem::path fleet_file() const { return folder_ / "fleet.json"; }
  std::filesystem::path store_file() const { return folder_ / "fleet.db"; }
  std::vector<std::unique_ptr<SimMachine>>& machines() { return machines_; }
  NatsServer& broker() { return server_; }
  std::int64_t messages() const { return messages_; }

  void kill_broker();  // it comes back by itself a moment later, as a held container does
  /// Every host is there again and what they had queued is sent.
  void settle();
  /// The ledger and every machine: what must be equal however the migration came there.
  std::string portrait();

 private:
  struct Letter {
    SimMachine* machine;
    bus::Message message;
    bool is_push;
  };
  void write_fleet(const Shape& shape);
  void listen(const std::string& what, bool is_push);
  void work(const std::stop_token& stop);
  void keep_time(const std::stop_token& stop);
  void keep_broker(const std::stop_token& stop);

  TempFolder folder_;
  NatsServer server_;
  std::unique_ptr<bus::Bus> bus_;
  SimGround ground_;
  std::vector<std::unique_ptr<SimMachine>> machines_;
  std::map<std::string, SimMachine*, std::less<>> by_name_;
  SimHolders holders_;
  std::mutex lock_;
  std::condition_variable_any wake_;
  std::deque<Letter> letters_;
  std::atomic<std::int64_t> messages_{0};
  std::mutex broker_lock_;
  std::condition_variable_any broker_gone_;
  std::vector<bus::Subscription> subscriptions_;
  std::vector<std::jthread> threads_;
};

}  // namespace berth::test
