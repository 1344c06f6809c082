#include "migrate/document_change.h"

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"

namespace berth::migrate {
namespace {

/// Steps of the machine, or of any where it is empty, that have begun and are not undone.
int highest_begun(const std::vector<StepRun>& runs, const std::string& machine) {
  int highest = 0;
  for (const auto& run : runs) {
    const bool counts = run.state == "done" || run.state == "running";
    if (counts && (machine.empty() || run.machine == machine)) highest = std::max(highest, run.step);
  }
  return highest;
}

/// The first step that depends on a member of the document, by its path ("machines", "alder", "settings", …);
/// 6 where none does. Step 1 only reads, and is read again.
int first_dependent(const std::vector<std::string>& path, std::string& machine) {
  const auto at = [&](std::size_t i) { return i < path.size() ? path[i] : std::string{}; };
  if (at(0) == "manifests") return 2;
  const auto& top = at(1);
  if (top == "name") return 1;
  if (top == "canary" || top == "max_parallel" || top == "release_deadline_s") return 6;
  if (top == "grants") return 3;
  if (top == "bus" && at(2) == "nkeys") return 3;
  if (top == "bus") return at(2) == "password_file" || at(2) == "user" || at(2) == "creds" || at(2) == "nkey_seed_file" ? 6 : 2;
  if (top == "releases") return at(2) == "start" ? 6 : at(2) == "without_cli" ? 5 : 2;
  if (top == "machines") machine = at(2);
  return 2;
}

std::vector<std::string> tokens(const std::string& pointer) {
  std::vector<std::string> list;
  for (auto at = Json::json_pointer{pointer}; !at.empty(); at.pop_back()) list.push_back(at.back());
  std::ranges::reverse(list);
  return list;
}

/// "machines.alder.settings.docker.live-restore: false → true".
std::string line_of(const Json& change, const Json& before) {
  auto path = tokens(change.at("path").get<std::string>());
  std::string name;
  for (std::size_t i = path.size() > 1 && path[0] == "document" ? 1 : 0; i < path.size(); ++i)
    name += (name.empty() ? "" : ".") + path[i];
  const auto op = change.at("op").get<std::string>();
  const auto old = op == "add" ? std::string{}
                               : before.at(Json::json_pointer{change.at("path").get<std::string>()}).dump();
  if (op == "add") return name + ": added " + change.at("value").dump();
  if (op == "remove") return name + ": removed, was " + old;
  return name + ": " + old + " -> " + change.at("value").dump();
}

/// A machine that is set aside may be replaced by another.
bool is_replacement(const std::vector<std::string>& path, const std::vector<LedgerMachine>& machines) {
  if (path.size() != 4 || path[1] != "machines" || path[3] != "machine_id") return false;
  return std::ranges::any_of(machines,
                             [&](const LedgerMachine& m) { return m.name == path[2] && m.set_aside; });
}

}  // namespace

Result<std::vector<std::string>> judge_change(const std::string& planned_from, const FleetDocument& now,
                                              const std::vector<StepRun>& runs,
                                              const std::vector<LedgerMachine>& machines) {
  const auto before = TRY(parse_json(planned_from, "the document this migration was planned from"));
  const auto after = TRY(parse_json(now.text, now.path.native()));
  std::vector<std::string> lines;
  std::string refused;
  for (const auto& change : Json::diff(before, after)) {
    const auto line = line_of(change, before);
    std::string machine;
    const auto path = tokens(change.at("path").get<std::string>());
    if (is_replacement(path, machines)) {
      lines.push_back(line + " (another machine: its steps begin anew)");
      continue;
    }
    const auto step = first_dependent(path, machine);
    const auto begun = highest_begun(runs, machine);
    if (step <= begun) {
      refused += "\n  " + line + " (step " + std::to_string(begun) +
                 (machine.empty() ? "" : " of " + machine) + " depends on it)";
    }
    lines.push_back(line);
  }
  if (refused.empty()) return lines;
  return fail(Errc::drift,
              "this migration was planned from another fleet document, and what has been done depends on "
              "what differs:" +
                  refused + "\nresume with the document as it was, or back out the step first");
}

}  // namespace berth::migrate
