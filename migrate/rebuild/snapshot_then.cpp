#include "migrate/rebuild/snapshot_then.h"

#include <algorithm>

#include "migrate/rebuild/member.h"

namespace berth::migrate::rebuild_detail {
namespace {

/// What a container has for a resolver is not in the list of a push; where it still runs, it is what it was.
void add_resolvers(Json& then, const Json& now) {
  for (auto& container : then) {
    const auto at = std::ranges::find_if(
        now, [&](const Json& c) { return text_in(c, "id") == text_in(container, "id"); });
    if (at != now.end() && at->contains("pinned_resolvers"))
      container["pinned_resolvers"] = at->at("pinned_resolvers");
  }
}

}  // namespace

Json snapshot_then(const Heard& heard) {
  auto then = heard.snapshot;
  then["rebuilt"] = true;
  then["taken_at"] = heard.hand_over.at("accepted_at");
  then["file"].update(member_in(heard.before, "file"));
  then["records"] = member_in(heard.before, "records");
  Json keys = member_in(heard.before, "keys");
  for (const auto& key : heard.snapshot.at("keys")) {
    if (text_in(key, "owner") == "flag") keys.push_back(key);
  }
  then["keys"] = keys;
  if (auto ran = member_in(heard.carried, "before"); ran.is_array() && !ran.empty()) {
    add_resolvers(ran, heard.snapshot.at("containers"));
    then["containers"] = std::move(ran);
  }
  return then;
}

}  // namespace berth::migrate::rebuild_detail
