#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "host/path/path.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_units.h"

namespace berth::test {

struct SimMachine;

/// Every act of one machine's host and watch asks here first. `dies` springs once: whoever acts is gone from
/// there on, as after a power cut. Knows its machine, so that a path made from it leads to that machine's
/// engine.
class SimSeam final : public Seam {
 public:
  struct Died {};
  explicit SimSeam(SimMachine& machine) : machine_(machine) {}
  Status before(std::string_view act, std::string_view target) override;
  SimMachine& machine() { return machine_; }

  std::atomic<int> acts{0};
  std::atomic<int> die_at{0};  // counted from where it was set; 0: never

 private:
  SimMachine& machine_;
};

/// The machine's engine as its host and its holder reach it: away while `down`, and behind the holder's path
/// while the holder is.
class SimPath final : public host::path::Path {
 public:
  SimPath(SimMachine& machine, host::path::Kind kind) : machine_(machine), kind_(kind) {}
  host::path::Kind kind() const override { return kind_; }
  Result<std::vector<host::path::Seen>> list() override;
  Result<Json> inspect(const std::string& container) override;
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override;
  Result<std::string> create(const holder::client::ContainerSpec& spec) override;
  Status start(const std::string& id) override;
  Status stop(const std::string& id, std::chrono::seconds grace) override;
  Status remove(const std::string& id) override;
  Status signal(const std::string& id, std::string_view signal) override;
  Result<host::path::EngineView> engine() override;
  Result<std::string> engine_socket() override { return std::string{}; }
  Result<bool> reloaded_since(Time since) override;

 private:
  Status reach();
  SimMachine& machine_;
  host::path::Kind kind_;
};

std::unique_ptr<host::path::Path> sim_cli(Seam& seam);
std::unique_ptr<host::path::Path> sim_holder(const std::string& socket, Seam& seam);

/// The machine's service manager: FakeUnits, and what starting and stopping berth's own units means.
class SimUnits final : public host::resources::Units {
 public:
  explicit SimUnits(SimMachine& machine) : machine_(machine) {}
  Result<host::resources::UnitState> state(const std::string& unit) override;
  Status start(const std::string& unit) override { return act(unit, "start", true); }
  Status stop(const std::string& unit) override { return act(unit, "stop", false); }
  Status restart(const std::string& unit) override { return act(unit, "restart", true); }
  Status reload(const std::string& unit) override;
  Status enable(const std::string& unit) override;
  Status disable(const std::string& unit) override;
  Status mask(const std::string& unit) override;
  Status unmask(const std::string& unit) override;
  Status reset_failed(const std::string& unit) override;
  Status daemon_reload() override;
  Result<std::vector<host::resources::UnitFile>> files(const std::string& unit) override;

 private:
  Status act(const std::string& unit, const std::string& verb, bool up);
  void load(const std::string& unit);
  SimMachine& machine_;
};

}  // namespace berth::test
