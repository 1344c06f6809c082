#include "tests/sim/runner.h"

#include <array>

#include "base/error.h"
#include "tests/migrate/fake_fleet.h"

namespace berth::test {
namespace {

using std::chrono::milliseconds;

/// The runner's store, which dies at its n-th write.
class RunnerSeam final : public Seam {
 public:
  std::atomic<int> writes{0};
  std::atomic<int> die_at{0};
  Status before(std::string_view act, std::string_view) override {
    if (act != "store.commit") return {};
    ++writes;
    if (die_at > 0 && --die_at == 0) throw Died{};
    return {};
  }
};

/// The real port with faults at each message. A host that died does not keep the runner waiting for its
/// answer longer than a test has time.
class FaultyPort final : public migrate::Port {
 public:
  FaultyPort(migrate::Port& port, std::function<void(int, bool)> at_message, std::atomic<int>& messages)
      : port_(port), at_message_(std::move(at_message)), messages_(messages) {}
  Result<Json> ask(std::string_view machine, const Json& request, milliseconds limit) override {
    return around([&] { return port_.ask(machine, request, std::min(limit, kMost)); });
  }
  Result<Json> ask_anew(std::string_view machine, const Json& request, milliseconds limit) override {
    return around([&] { return port_.ask_anew(machine, request, std::min(limit, kMost)); });
  }
  Result<Json> push(std::string_view machine, const Json& document) override {
    return around([&] { return port_.push(machine, document); });
  }
  Status ensure_streams() override {
    return around([&] { return port_.ensure_streams(); });
  }
  Result<std::optional<migrate::Kept>> last_lease() override { return port_.last_lease(); }
  Result<std::uint64_t> claim_lease(std::string_view text, std::uint64_t expected) override {
    return around([&] { return port_.claim_lease(text, expected); });
  }
  Result<std::vector<migrate::Kept>> events(std::string_view machine, std::uint64_t first,
                                            milliseconds wait) override {
    return port_.events(machine, first, wait);
  }
  Result<std::vector<migrate::Kept>> reports(std::string_view machine, std::uint64_t first,
                                             milliseconds wait) override {
    return port_.reports(machine, first, wait);
  }
  Result<std::uint64_t> events_end(std::string_view machine) override { return port_.events_end(machine); }
  Result<std::uint64_t> reports_end(std::string_view machine) override { return port_.reports_end(machine); }

 private:
  static constexpr milliseconds kMost{1500};
  template <class F>
  std::invoke_result_t<F> around(F act) {
    const int n = ++messages_;
    at_message_(n, false);
    auto answer = act();
    at_message_(n, true);
    return answer;
  }
  migrate::Port& port_;
  std::function<void(int, bool)> at_message_;
  std::atomic<int>& messages_;
};

}  // namespace

std::string Fault::text() const {
  const std::array names{"the runner at its write ",      "the runner before its message ",
                         "the runner after its message ", "a host at its act ",
                         "an engine at its call ",        "a holder at message ",
                         "the broker at message "};
  return std::string{names.at(static_cast<std::size_t>(kind))} + std::to_string(at) + " of m" +
         std::to_string(machine);
}

std::string SimRun::once() {
  RunnerSeam seam;
  for (auto& machine : fleet_.machines()) machine->seam.acts = 0, machine->engine_calls = 0;
  for (const auto& fault : faults_) {
    auto& machine = *fleet_.machines()[static_cast<std::size_t>(fault.machine)];
    if (fault.kind == Fault::Kind::runner_write) seam.die_at = fault.at;
    if (fault.kind == Fault::Kind::host) machine.seam.die_at = fault.at;
    if (fault.kind == Fault::Kind::engine) machine.engine_down_at = fault.at;
  }
  const auto at_message = [&](int n, bool after) {
    for (const auto& fault : faults_) {
      if (fault.at != n) continue;
      if (fault.kind == (after ? Fault::Kind::runner_after : Fault::Kind::runner_before)) {
        ++fell_;
        throw Died{};
      }
      if (after) continue;
      if (fault.kind == Fault::Kind::broker) ++fell_, fleet_.kill_broker();
      if (fault.kind == Fault::Kind::holder)
        ++fell_, fleet_.machines()[static_cast<std::size_t>(fault.machine)]->holder_killed = true;
    }
  };
  places_ = {};
  std::atomic<int> messages{0};
  std::string said = "died";
  try {
    const auto document = must(migrate::FleetDocument::load(fleet_.fleet_file()));
    auto store = must(store::Store::open(fleet_.store_file(), store::Role::fleet, system_clock(), seam));
    const auto port = migrate::open_port(document, seam);
    if (!port) return to_text(port.error());
    FaultyPort faulty{**port, at_message, messages};
    migrate::Site site{store,
                       faulty,
                       system_clock(),
                       seam,
                       {.poll = milliseconds{5},
                        .patience = milliseconds{3000},
                        .push = milliseconds{8000},
                        .event = milliseconds{4000},
                        .release = std::chrono::seconds{8}}};
    Listener listener;
    std::stop_source stop;
    const auto outcome =
        migrate::run(document, {.runner = "operator@desk", .program = "sim", .to_step = 5, .machines = {}},
                     site, listener, stop.get_token());
    said = !outcome                                        ? to_text(outcome.error())
           : outcome->kind == migrate::Outcome::Kind::done ? ""
                                                           : outcome->text;
  } catch (const Died&) {
    // As a process would: what was in its memory is gone, its lock with it.
  }
  for (const auto& fault : faults_) {
    const auto& machine = *fleet_.machines()[static_cast<std::size_t>(fault.machine)];
    if (fault.kind == Fault::Kind::runner_write) fell_ += seam.writes >= fault.at ? 1 : 0;
    if (fault.kind == Fault::Kind::host) fell_ += machine.seam.acts >= fault.at ? 1 : 0;
    if (fault.kind == Fault::Kind::engine) fell_ += machine.engine_calls >= fault.at ? 1 : 0;
  }
  places_.writes = seam.writes;
  places_.messages = messages;
  for (auto& machine : fleet_.machines()) {
    places_.host_acts.push_back(machine->seam.acts);
    places_.engine_calls.push_back(machine->engine_calls);
  }
  return said;
}

std::string SimRun::to_its_end(int runs) {
  std::string said = "not run";
  for (runs_ = 1; runs_ <= runs; ++runs_) {
    said = once();
    faults_.clear();
    fleet_.settle();
    if (said.empty()) return said;
  }
  return said;
}

}  // namespace berth::test
