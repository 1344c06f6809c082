#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "migrate/port.h"

namespace berth::cli {
namespace {

constexpr std::chrono::seconds kLookLimit{5};
constexpr std::size_t kLookAtOnce = 8;

/// One thing looked at. `advice` is what a person does about it, where it is not good.
struct Finding {
  std::string check, machine, state, detail, advice = {};
};

Finding good(std::string check, std::string machine, std::string detail) {
  return {std::move(check), std::move(machine), "good", std::move(detail)};
}

Finding wrong(std::string check, std::string machine, const Error& error, std::string advice) {
  const bool silent = error_row(error.code).exit_status == error_row(Errc::unreachable).exit_status;
  return {std::move(check), std::move(machine), silent ? "unreachable" : "wrong", to_text(error), std::move(advice)};
}

Finding look_at_store(Context& context) {
  const auto path = context.store_path().native();
  const auto looked = [&]() -> Status {
    auto store = TRY(context.read_store());
    return store.verify();
  }();
  if (looked) return good("store", "", path + " is whole");
  return wrong("store", "", looked.error(), "berth store restore a backup, berth store rebuild --fleet FILE where it is lost, or berth catalogue import to begin one");
}

/// That this is the machine that the fleet document means, and whether its host is on trial.
Finding look_at_host(migrate::Port& port, const catalogue::MachineFacts& machine) {
  const auto status = port.ask(machine.name, {{"what", "status"}}, kLookLimit);
  if (!status) return wrong("host", machine.name, status.error(), "systemctl status berth-host on the machine");
  const auto id = status->value("machine_id", "");
  if (id != machine.machine_id) {
    return {"host", machine.name, "wrong", "its machine-id is " + id + ", the fleet document says " + machine.machine_id,
            "a replaced machine is set aside, its entry in the fleet document changed, and brought in"};
  }
  return good("host", machine.name, "host " + status->value("host_version", "?") + ", command line's path " +
                                        status->value("cli_path", "?"));
}

Finding look_at_seat(migrate::Port& port, const std::string& machine) {
  const auto answer = port.ask(machine, {{"what", "seat"}}, kLookLimit);
  if (!answer) return wrong("seat", machine, answer.error(), "systemctl status berth-host on the machine");
  if (answer->value("answering", false)) return good("seat", machine, "the holder answers");
  return {"seat", machine, "wrong", "the holder does not answer: " + answer->value("cause", ""),
          "systemctl status berth-holder on the machine; before step 3 no holder is expected"};
}

/// Every machine at once, a few at a time; each one's findings land in its own place.
std::vector<Finding> look_at_machines(migrate::Port& port, const migrate::FleetDocument& fleet) {
  const auto& machines = fleet.machines;
  std::vector<std::array<Finding, 2>> found(machines.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < machines.size(); i = next++) {
      found[i] = {look_at_host(port, fleet.machine(machines[i])), look_at_seat(port, machines[i])};
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < std::min(kLookAtOnce, machines.size()); ++i) workers.emplace_back(work);
  }
  std::vector<Finding> all;
  for (const auto& both : found) all.insert(all.end(), both.begin(), both.end());
  return all;
}

std::vector<Finding> look_at_fleet(Context& context) {
  const auto fleet = load_fleet(context);
  if (!fleet) return {wrong("fleet document", "", fleet.error(), "mend the file at the place named")};
  std::vector<Finding> all{good("fleet document", "", context.globals().fleet + " is one")};
  const auto port = migrate::open_port(*fleet, context.seam());
  all.push_back(port ? good("bus", "", fleet->bus.url + " lets " + fleet->bus.user + " in")
                     : wrong("bus", "", port.error(), "look at the broker, and at the log-in that the fleet document names"));
  if (!port) return all;
  for (auto& finding : look_at_machines(**port, *fleet)) all.push_back(std::move(finding));
  return all;
}

store::Value cell(const std::string& text) { return text.empty() ? store::Value{} : store::Value{text}; }

}  // namespace

Result<int> doctor(Context& context) {
  std::vector<Finding> findings{look_at_store(context)};
  if (!context.globals().fleet.empty()) {
    for (auto& finding : look_at_fleet(context)) findings.push_back(std::move(finding));
  }
  Table table{.columns = {"check", "machine", "state", "detail", "advice"}, .rows = {}};
  for (const auto& f : findings) table.rows.push_back({f.check, cell(f.machine), f.state, f.detail, cell(f.advice)});
  context.show(table);
  const bool all_good = std::ranges::all_of(findings, [](const Finding& f) { return f.state == "good"; });
  return all_good ? 0 : error_row(Errc::failed).exit_status;
}

}  // namespace berth::cli
