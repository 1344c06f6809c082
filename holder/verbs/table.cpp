#include "holder/verbs/table.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using std::chrono::seconds;
constexpr std::string_view kTool = "docker_";

// name, class, bound, function, of the seat, tool, host's socket only, params, summary
constexpr std::array kVerbs = {
    VerbRow{"list", VerbClass::read, seconds{20}, list, true, true, false,
            "owner (all, held, stray), state, name, limit (1-1000), after",
            "Every container on the machine, one page; `next` is the `after` of the next page."},
    VerbRow{"inspect", VerbClass::read, seconds{20}, inspect, true, true, false,
            "container, against (host: a container spec)",
            "One container whole. Of its environment the names, never the values. `differs`: the members of "
            "`against` it does not have."},
    VerbRow{"logs", VerbClass::read, seconds{20}, logs, true, true, false,
            "container, tail (1-2000, 200), since, until",
            "The last lines a container wrote, both streams in time order; `truncated` if there were more."},
    VerbRow{"stats", VerbClass::read, seconds{20}, stats, true, true, false, "container",
            "What running containers use now, the heaviest first."},
    VerbRow{"start", VerbClass::act, seconds{20}, start, true, true, false, "container",
            "Start a container; running already is success."},
    VerbRow{"stop", VerbClass::act, seconds{20}, stop, true, true, false, "container, timeout_s (0-120)",
            "Stop a container; stopped already is success."},
    VerbRow{"restart", VerbClass::act, seconds{40}, restart, true, true, false,
            "container, timeout_s (0-120)", "Stop a container if it runs, and start it."},
    VerbRow{"create", VerbClass::act, seconds{60}, create, true, false, false, "a container spec",
            "Make a container, and start it unless `start` is false; of the host's, in the place of the one it "
            "`replaces`. Of a bus caller's, none is root on the machine."},
    VerbRow{"remove", VerbClass::act, seconds{20}, remove, true, false, false,
            "container, force, volumes (host)", "Remove a container. A held one is the host's alone."},
    VerbRow{"signal", VerbClass::act, seconds{20}, signal, false, false, true,
            "container, signal (HUP, USR1, USR2)", "Send a container's main process a signal."},
    VerbRow{"top", VerbClass::read, seconds{20}, top, false, true, false, "container",
            "The processes inside one container."},
    VerbRow{"images", VerbClass::read, seconds{20}, images, false, true, false,
            "which (all, dangling, unused, used)",
            "The machine's images, the largest first, with the containers made of each."},
    VerbRow{"prune", VerbClass::act, seconds{20}, prune, false, true, false,
            "dry_run (true), containers (false), plan",
            "Take away dangling images and idle build cache, and stopped strays if `containers`. A dry run "
            "unless `dry_run` is false: it answers a `plan`, and a run given that plan takes away nothing that "
            "was not shown. Never a volume, never a held container. The bound is of each thing taken away."},
    VerbRow{"disk_usage", VerbClass::read, seconds{20}, disk_usage, false, true, false, "",
            "What images, containers, volumes and build cache take, what of it could be had back, and the ten "
            "largest of each."},
    VerbRow{"networks", VerbClass::read, seconds{20}, networks, false, true, false, "",
            "Networks, their subnets, and the containers on each."},
    VerbRow{"volumes", VerbClass::read, seconds{20}, volumes, false, true, false, "sizes (false)",
            "Volumes: who mounts each, held or not, anonymous or not, and their sizes if asked."},
    VerbRow{"events", VerbClass::read, seconds{20}, events, false, true, false, "minutes (1-1440, 60)",
            "What the engine did in the window that ends now, without the noise of exec."},
    VerbRow{"daemon_config", VerbClass::read, seconds{20}, daemon_config, false, true, false, "",
            "The engine's file as on disk, what the engine says of itself, the keys it has not taken yet, the "
            "keys a flag sets, and what would stop it at its next start."},
    VerbRow{"unlabelled", VerbClass::read, seconds{20}, unlabelled, false, true, false, "limit (1-1000), after",
            "The containers that no assignment holds: the clean-up list."},
    VerbRow{"problems", VerbClass::read, seconds{20}, problems, false, true, false, "",
            "Containers that are unhealthy, restarting, dead, killed for memory, failed, or were restarted five "
            "times or more, and an engine file the engine would not start with."},
    VerbRow{"ports", VerbClass::read, seconds{20}, ports, false, true, false, "",
            "Every published port, and the containers on the machine's own network."},
};

template <class Keep>
std::vector<std::string> names_where(Keep keep, std::string_view prefix = {}) {
  std::vector<std::string> names;
  for (const auto& row : kVerbs) {
    if (keep(row)) names.push_back(std::string{prefix} + std::string{row.name});
  }
  return names;
}

std::string line_of(const VerbRow& row) {
  std::string line = "| " + std::string{row.name} + " | " + std::string{to_text(row.verb_class)} + " | ";
  line += row.host_only ? "host's socket" : "socket and bus";
  line += " | " + (row.is_tool ? std::string{kTool} + std::string{row.name} : std::string{}) + " | ";
  line += std::string{row.params} + " | " + std::string{row.summary} + " |\n";
  return line;
}

}  // namespace

std::span<const VerbRow> verb_table() { return kVerbs; }

const VerbRow* find_verb(std::string_view name) {
  const bool tool = name.starts_with(kTool);
  if (tool) name.remove_prefix(kTool.size());
  const auto* row = std::ranges::find(kVerbs, name, &VerbRow::name);
  return row == kVerbs.end() || (tool && !row->is_tool) ? nullptr : row;
}

std::string_view to_text(VerbClass verb_class) { return verb_class == VerbClass::read ? "read" : "act"; }

std::vector<std::string> seat_verbs() {
  return names_where([](const VerbRow& row) { return row.of_seat; });
}
std::vector<std::string> tools() {
  return names_where([](const VerbRow& row) { return row.is_tool; }, kTool);
}
std::vector<std::string> event_kinds() {
  return {"created", "started", "stopped", "died", "removed", "health"};
}

std::string verbs_page() {
  std::string page =
      "# Verbs\n\n"
      "Printed by `berth-holder describe --markdown` from the verb table; a test compares. An act verb is "
      "granted by\n"
      "name only. A tool is another name of its verb. `container` is a full id, an exact name or a unique id "
      "prefix.\n\n"
      "| verb | class | served on | tool | params | what it does |\n|---|---|---|---|---|---|\n";
  for (const auto& row : kVerbs) page += line_of(row);
  return page;
}

}  // namespace berth::holder::verbs
