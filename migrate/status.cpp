// `berth migrate status`: one screen, from the store alone.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "migrate/ledger.h"
#include "migrate/migrate.h"
#include "migrate/screen.h"
#include "migrate/steps/steps.h"

namespace berth::migrate {
namespace {

using Rows = std::map<std::pair<int, std::string>, StepRun>;

struct View {
  Migration migration;
  std::vector<LedgerMachine> machines;
  Rows rows;
  Json rebuilt;  // {"at", "runner"}; null where the store is the one that was there from the beginning
};

Result<Json> rebuilt_note(store::Store& store) {
  const auto text = TRY(store.setting("rebuilt"));
  if (!text) return Json{};
  auto note = TRY(parse_json(*text, "the note of the store's rebuilding"));
  note.erase("lost");
  return note;
}

std::string rebuilt_line(const Json& note) {
  if (!note.is_object()) return "";
  return "this store was made anew at " + note.value("at", "") + " by " + note.value("runner", "") +
         " from what the machines say; berth audit lost names what is not in it\n";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

/// An error under its machine: its first lines, which have the cause or the lines to paste.
std::string lines_of_error(int step, std::string_view error, int most) {
  std::string text = "    step " + std::to_string(step) + ": ";
  for (int i = 0; i < most; ++i) {
    const auto end = error.find('\n');
    text += std::string{error.substr(0, end)} + "\n";
    if (end == std::string_view::npos) return text;
    error.remove_prefix(end + 1);
    if (error.empty()) return text;
    if (i + 1 < most) text += "      ";
  }
  return text;  // the report has the rest
}

/// "done 3, failed 1" of one step.
std::string counts(const View& view, int step) {
  std::map<std::string, int> by_state;
  for (const auto& machine : view.machines)
    ++by_state[machine.set_aside ? "set aside" : view.rows.at({step, machine.name}).state];
  std::string text;
  for (const auto* state : {"done", "running", "failed", "backed_out", "pending", "set aside"}) {
    if (by_state.contains(state))
      text += (text.empty() ? "" : ", ") + std::string{state} + " " + std::to_string(by_state[state]);
  }
  return text;
}

/// The next thing a person must do: the first step that is not done everywhere, and why.
std::string next_thing(const View& view) {
  std::string aside;
  for (const auto& machine : view.machines) {
    if (machine.set_aside && aside.empty()) aside = "--machine " + machine.name;
  }
  for (const auto& step : steps()) {
    for (const auto& machine : view.machines) {
      const auto& row = view.rows.at({step.number, machine.name});
      if (machine.set_aside || row.state == "done") continue;
      const auto name = "step " + std::to_string(step.number) + " (" + std::string{step.name} + ")";
      if (row.state == "failed")
        return "look at " + machine.name + ", where " + name + " failed, then berth migrate run; berth migrate set-aside --machine " +
               machine.name + " --reason WHY goes on without it";
      if (row.state == "running")
        return "berth migrate run: " + name + " of " + machine.name + " is not ended";
      if (step.number == 5 && !aside.empty())
        return "berth migrate bring-in " + aside + ": " + name + " waits while it is set aside";
      return "berth migrate run: " + name + " comes next";
    }
  }
  if (!aside.empty()) return "berth migrate bring-in " + aside + ": it is set aside";
  return "nothing: all five steps are done on every machine";
}

// More machines than this are no screen: then only those are listed that a person must know of.
constexpr std::size_t kLines = 16;

/// Set aside, failed, under way or backed out: whatever is not simply done or still to come.
bool is_notable(const View& view, const LedgerMachine& machine) {
  return machine.set_aside || std::ranges::any_of(steps(), [&](const Step& step) {
           const auto& row = view.rows.at({step.number, machine.name});
           return row.error || (row.state != "done" && row.state != "pending");
         });
}

std::vector<LedgerMachine> shown_machines(const View& view) {
  if (view.machines.size() <= kLines) return view.machines;
  std::vector<LedgerMachine> shown;
  for (const auto& machine : view.machines) {
    if (shown.size() < kLines && is_notable(view, machine)) shown.push_back(machine);
  }
  return shown;
}

std::string machine_lines(const View& view) {
  std::string text;
  const auto shown = shown_machines(view);
  const int most = shown.size() <= 4 ? 6 : 1;  // lines an error gets, so that all of them are one screen
  for (const auto& machine : shown) {
    text += "  " + padded(machine.name, 16);
    for (const auto& step : steps()) text += padded(view.rows.at({step.number, machine.name}).state, 11);
    if (machine.set_aside) text += "set aside: " + *machine.set_aside;
    text += "\n";
    for (const auto& step : steps()) {
      const auto& row = view.rows.at({step.number, machine.name});
      if (row.error) text += lines_of_error(step.number, *row.error, most);
    }
  }
  if (const auto others = view.machines.size() - shown.size(); others > 0)
    text += "  and " + std::to_string(others) + " more; --output json or csv lists each\n";
  return text;
}

Json document_of(const View& view) {
  Json machines = Json::object();
  for (const auto& machine : view.machines) {
    Json list = Json::object();
    for (const auto& step : steps()) {
      const auto& row = view.rows.at({step.number, machine.name});
      list[std::to_string(step.number)] = {
          {"name", step.name},
          {"state", row.state},
          {"attempt", row.attempt},
          {"error", row.error ? Json(*row.error) : Json{}}};
    }
    machines[machine.name] = {{"set_aside", machine.set_aside ? Json(*machine.set_aside) : Json{}},
                              {"steps", list}};
  }
  return {{"migration", view.migration.id},
          {"fleet", view.migration.fleet},
          {"runner", view.migration.runner},
          {"token", view.migration.token},
          {"opened_at", view.migration.opened_at},
          {"closed_at", view.migration.closed_at ? Json(*view.migration.closed_at) : Json{}},
          {"machines", machines},
          {"rebuilt", view.rebuilt},
          {"next", next_thing(view)}};
}

std::string screen(const View& view) {
  std::string text = "migration " + view.migration.id + " of " + view.migration.fleet + ", runner " +
                     view.migration.runner + " (token " + std::to_string(view.migration.token) + ")\n" +
                     rebuilt_line(view.rebuilt);
  for (const auto& step : steps())
    text += "  " + std::to_string(step.number) + " " + padded(std::string{step.name}, 18) +
            counts(view, step.number) + "\n";
  return text + "\n  machine         1          2          3          4          5\n" + machine_lines(view) +
         "\nnext: " + next_thing(view) + "\n";
}

}  // namespace

Outcome::Kind kind_of(Errc code) {
  const auto status = error_row(code).exit_status;
  return status == 3 ? Outcome::Kind::refused : status == 4 ? Outcome::Kind::silent : Outcome::Kind::failed;
}

Outcome::Kind together(Outcome::Kind one, Outcome::Kind other) {
  if (one == Outcome::Kind::done || one == other) return other;
  return other == Outcome::Kind::done ? one : Outcome::Kind::failed;
}

std::string outcome_name(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::done:
      return "done";
    case Outcome::Kind::failed:
      return "failed";
    case Outcome::Kind::refused:
      return "refused";
    case Outcome::Kind::silent:
      return "silent";
    case Outcome::Kind::stopped:
      return "stopped";
  }
  return "failed";
}

Result<Outcome> status(const FleetDocument& fleet, store::Store& store) {
  const auto migration = TRY(newest_migration(store, fleet.name.text()));
  auto rebuilt = TRY(rebuilt_note(store));
  if (!migration) {
    const auto says = rebuilt_line(rebuilt);
    return Outcome{
        {{"migration", nullptr}, {"rebuilt", std::move(rebuilt)}, {"next", "berth migrate run"}},
        "no migration of " + fleet.name.text() + " has begun\n" + says + "next: berth migrate plan, then run\n"};
  }
  Ledger ledger{store, migration->id};
  auto machines = TRY(ledger.machines());
  View view{*migration, std::move(machines), {}, std::move(rebuilt)};
  for (auto& row : TRY(ledger.runs())) view.rows.emplace(std::pair{row.step, row.machine}, row);
  return Outcome{document_of(view), screen(view)};
}

}  // namespace berth::migrate
