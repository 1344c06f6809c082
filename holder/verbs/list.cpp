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
  for (const auto& container : all) {
    auto row = summary_document(container);
    const auto size = row.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
    // One row at least: a caller that cannot carry even that is told so by its own face.
    if (page.size() == args.limit || (!page.empty() && bytes + size > session.max_reply)) break;
    bytes += size;
    page.push_back(std::move(row));
  }
  const bool more = page.size() < all.size();
  return Json{{"containers", page}, {"next", more ? Json(key_of(all[page.size() - 1])) : Json()}};
}

}  // namespace berth::holder::verbs
