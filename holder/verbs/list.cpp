#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Summary;

struct ListArgs {
  std::string owner, state, name, after;
  std::size_t limit = 0;

  static Result<ListArgs> parse(const Json& params) {
    Fields fields{params, ""};
    ListArgs args;
    args.owner = fields.one_of("owner", {"all", "held", "stray"}, "all");
    args.state = fields.text("state", "");
    if (!args.state.empty()) {
      fields.one_of("state",
                    {"created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"},
                    "");
    }
    args.name = fields.text("name", "");
    args.after = fields.text("after", "");
    args.limit = static_cast<std::size_t>(fields.integer("limit", 1, 1000, 1000));
    TRY(fields.finish());
    return args;
  }

  bool takes(const Summary& container) const {
    if (owner != "all" && container.mesh_held() != (owner == "held")) return false;
    if (!state.empty() && container.state != state) return false;
    return name.empty() || container.name.find(name) != std::string::npos;
  }
};

/// What pages are ordered by: names are unique, and a page goes on after one whether it is still there or
/// not.
const std::string& key_of(const Summary& container) {
  return container.name.empty() ? container.id : container.name;
}

/// As many bytes as its row can have: every byte of its texts written as an escape, and the members around them.
std::size_t most_bytes(const Summary& container) {
  std::size_t text = container.id.size() + container.name.size() + container.image.size() + container.image_id.size() +
                     container.status.size() + container.compose_project.size() + container.assignment.size();
  for (const auto& name : container.names) text += name.size() + 8;
  for (const auto& network : container.networks) text += network.size() + 8;
  for (const auto& port : container.ports) text += port.host_ip.size() + port.protocol.size() + 80;
  for (const auto& mount : container.mounts) text += mount.type.size() + mount.source.size() + mount.target.size() + 64;
  return 1024 + 6 * text;
}

std::size_t bytes_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace).size();
}

}  // namespace

Result<Json> list(Session& session, const Json& params) {
  const auto args = TRY(ListArgs::parse(params));
  auto all = TRY(session.engine.list());
  std::erase_if(all, [&](const Summary& c) {
    return !args.takes(c) || (!args.after.empty() && key_of(c) <= args.after);
  });
  std::ranges::sort(all, {}, key_of);
  Json page = Json::array();
  std::size_t bytes = 64;
  bool exact = false;  // writing a row to see how long it is costs as much as making it: only where it matters
  for (const auto& container : all) {
    auto row = summary_document(container);
    const auto most = most_bytes(container);
    if (!exact && bytes + most > session.max_reply) {
      exact = true;
      bytes = 64 + bytes_of(page);
    }
    const auto size = exact ? bytes_of(row) + 1 : most;
    // One row at least: a caller that cannot carry even that is told so by its own face.
    if (page.size() == args.limit || (!page.empty() && bytes + size > session.max_reply)) break;
    bytes += size;
    page.push_back(std::move(row));
  }
  auto next = page.size() < all.size() ? Json(key_of(all[page.size() - 1])) : Json();
  return Json{{"containers", std::move(page)}, {"next", std::move(next)}};
}

}  // namespace berth::holder::verbs
