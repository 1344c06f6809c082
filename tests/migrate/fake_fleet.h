#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "migrate/migrate.h"
#include "tests/migrate/fake_machine.h"
#include "tests/migrate/fleet_file.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// What a test throws where a process would die.
struct Died {};

/// Dies, for once, at the n-th act of a kind.
class DyingSeam final : public Seam {
 public:
  int die_at_commit = 0;
  Status before(std::string_view act, std::string_view) override {
    if (act == "store.commit" && die_at_commit > 0 && --die_at_commit == 0) throw Died{};
    return {};
  }
};

/// Four machines behind a port, which answers one call at a time. `die_at_act` dies at the n-th change asked of a machine, before or after it
/// was made.
class FakePort final : public migrate::Port {
 public:
  FakePort();

  std::map<std::string, FakeMachine, std::less<>> machines;
  std::vector<migrate::Kept> leases;
  int die_at_act = 0;
  bool die_after = false;
  std::function<void(const std::string& machine, const std::string& what)> before_ask = {};
  std::uint64_t sequences = 0;
  int acts = 0;

  Result<Json> ask(std::string_view machine, const Json& request, std::chrono::milliseconds limit) override;
  Result<Json> ask_anew(std::string_view machine, const Json& request,
                        std::chrono::milliseconds limit) override {
    return ask(machine, request, limit);
  }
  Result<Json> push(std::string_view machine, const Json& document) override;
  Status ensure_streams() override { return {}; }
  Result<std::optional<migrate::Kept>> last_lease() override;
  Result<std::uint64_t> claim_lease(std::string_view text, std::uint64_t expected) override;
  Result<std::vector<migrate::Kept>> events(std::string_view machine, std::uint64_t first,
                                            std::chrono::milliseconds wait) override;
  Result<std::vector<migrate::Kept>> reports(std::string_view machine, std::uint64_t first,
                                             std::chrono::milliseconds wait) override;
  Result<std::uint64_t> events_end(std::string_view) override { return next_sequence(); }
  Result<std::uint64_t> reports_end(std::string_view) override { return next_sequence(); }

 private:
  std::recursive_mutex mutex_ = {};  // a runner asks several machines at once, and `before_ask` may call back

  std::uint64_t next_sequence();
  Result<FakeMachine*> reach(std::string_view machine);
  template <class F>
  Result<Json> changing(F act);
};

/// Remembers what the runner said.
class Listener final : public migrate::Observer {
 public:
  std::string told;
  std::vector<std::string> ends;
  void step_begins(int, std::string_view, std::size_t) override {}
  void machine_does(int, std::string_view, std::string_view) override {}
  void machine_ended(int step, std::string_view machine, std::string_view state, std::string_view) override {
    ends.push_back(std::to_string(step) + " " + std::string{machine} + " " + std::string{state});
  }
  void step_ended(int, std::size_t, std::size_t) override {}
  void notice(std::string_view text) override { told += std::string{text} + "\n"; }
};

/// A fleet, an operator's store and a runner over them. `again` is a new process on the same store.
class Fleet {
 public:
  FleetFile file;
  FakePort port;
  HandClock clock;
  DyingSeam seam;
  Listener listener;
  std::stop_source stop;
  migrate::Options options{.runner = "operator@desk", .program = "1.2.0", .to_step = 5, .machines = {}};

  Fleet();
  migrate::FleetDocument document();
  Result<migrate::Outcome> run(int to_step = 5);
  Result<migrate::Outcome> back_out(int step, const std::string& machine);
  Result<migrate::Outcome> plan();
  store::Store open_store();
  migrate::Site site(store::Store& store);
  FakeMachine& at(const std::string& machine) { return port.machines.at(machine); }

  /// "1 alder done", one line a row of the ledger.
  std::string ledger();
  /// The ledger and the machines: what must be the same however it came to be.
  std::string portrait();

  std::filesystem::path store_path() const { return folder_ / "fleet.db"; }

 private:
  TempFolder folder_;
};

}  // namespace berth::test
