#include "holder/boxes/verbs/table.h"

#include <algorithm>
#include <array>

#include "base/json.h"

namespace berth::holder::boxes::verbs {
namespace {

constexpr auto kRead = VerbClass::read;
constexpr auto kAct = VerbClass::act;

constexpr std::array kBoxVerbs = {
    BoxVerbRow{"box.create_storage", kAct, create_storage, "box",
               "Make the parts of a box's storage that are missing."},
    BoxVerbRow{"box.missing_storage", kRead, missing_storage, "box",
               "The parts of a box's storage that are not there."},
    BoxVerbRow{"box.remove_storage", kAct, remove_storage, "box",
               "Remove a box's storage; refused while it runs."},
    BoxVerbRow{"box.ensure", kAct, ensure, "box",
               "Make or repair a box's container and isolation; a running one's isolation alone."},
    BoxVerbRow{"box.start", kAct, start, "box", "Start a box; running already is success."},
    BoxVerbRow{"box.stop", kAct, stop, "box", "Stop a box; stopped or gone already is success."},
    BoxVerbRow{"box.remove", kAct, remove, "box",
               "Remove a box's container and isolation; its storage stays."},
    BoxVerbRow{"box.state", kRead, state, "box",
               "running, stopped (gone too), or unknown when the runtime does not answer."},
    BoxVerbRow{"box.ensure_isolation", kAct, ensure_isolation, "box",
               "Repair a box's isolation, whatever its state."},
    BoxVerbRow{"box.isolated", kRead, isolated, "box", "Whether a box reaches the proxy and nothing else."},
    BoxVerbRow{"box.proxy_url", kRead, proxy_url, "box",
               "The proxy's URL as it is reached from inside the box."},
    BoxVerbRow{
        "box.run", kAct, run,
        "box or login, command[], dir, environment{}, timeout_s (1-86400), max_output (1 MiB, at most 8)",
        "Run a command to its end; at the limit it is killed with all that it started."},
    BoxVerbRow{"box.spawn", kAct, nullptr,
               "box or login, command[], dir, environment{}, terminal{columns, rows}",
               "Start a process and speak with it: an upgrade to a WebSocket (docs/formats.md)."},
    BoxVerbRow{"box.image_of", kRead, image_of, "box", "The id of the image that a box was made from."},
    BoxVerbRow{"box.ensure_image", kAct, ensure_image, "",
               "Have the box image, by the configuration's pull policy."},
    BoxVerbRow{"box.refresh_image", kAct, refresh_image, "",
               "Pull a newer box image if there is one, and remove older ones."},
    BoxVerbRow{"box.inventory", kRead, inventory, "",
               "Everything kept for boxes and logins, in the order of removal."},
    BoxVerbRow{"box.remove_object", kAct, remove_object, "kind, name", "Remove one object of the inventory."},
    BoxVerbRow{"box.start_login", kAct, start_login, "login",
               "Start a login's container, its home in memory."},
    BoxVerbRow{"box.prepare", kAct, prepare, "", "Find the data volume and the proxy."},
    BoxVerbRow{"box.details", kRead, details, "box",
               "What a box is made of: container, image, network, storage."},
    BoxVerbRow{"box.health", kRead, health, "", "Whether the runtime answers and the proxy is there."},
    BoxVerbRow{"box.deployment_images", kRead, deployment_images, "",
               "The ids of the images of the boxes and the proxy."},
};

}  // namespace

std::span<const BoxVerbRow> box_verb_table() { return kBoxVerbs; }

const BoxVerbRow* find_box_verb(std::string_view name) {
  const auto* row = std::ranges::find(kBoxVerbs, name, &BoxVerbRow::name);
  return row == kBoxVerbs.end() ? nullptr : row;
}

std::string box_verbs_page() {
  std::string page =
      "# Box verbs\n\n"
      "Printed from the table of `holder/boxes/verbs`; a test compares. Served on the boxes' socket alone "
      "(`boxes` "
      "of holder.json),\nto the user ids it names. A box is known by its id; the configuration composes the "
      "rest.\n\n"
      "| verb | class | params | what it does |\n|---|---|---|---|\n";
  for (const auto& row : kBoxVerbs) {
    page += "| " + std::string{row.name} + " | " + (row.verb_class == kRead ? "read" : "act") + " | " +
            std::string{row.params} + " | " + std::string{row.summary} + " |\n";
  }
  return page;
}

}  // namespace berth::holder::boxes::verbs
