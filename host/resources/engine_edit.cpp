#include "host/resources/engine_edit.h"

#include <algorithm>

#include "host/resources/engine_keys.h"
#include "host/resources/engine_plan.h"

namespace berth::host::resources {
namespace edit {

void Plan::note(const std::string& id, const std::string& text) {
  auto& detail = edit_.detail[id];
  detail += (detail.empty() ? "" : ", ") + text;
}

bool Plan::differs(const std::string& key) const {
  const auto* before = now_.find(key);
  const auto* after = after_.find(key);
  if (before == nullptr || after == nullptr) return before != after;
  return now_.text_of(*before) != after_.text_of(*after);
}

Status Plan::collect_wanted() {
  for (const auto& declare : declares_) {
    const auto into = into_of(declare.declared);
    for (const auto& [key, value] : into.items()) {
      keys_[declare.id].insert(key);
      const auto wanted = engine_ ? TRY(engine_value(key, value)) : value;
      auto& all = wanted_[key];
      if (all.is_null() || !wanted.is_array() || !all.is_array()) {
        if (!all.is_null() && all != wanted) {
          return fail_field(Errc::collision, key, declare.id + " and another record declare different values of " + key);
        }
        all = wanted;
        continue;
      }
      for (const auto& item : wanted) {
        if (!holds(all, item)) all.push_back(item);
      }
    }
  }
  return {};
}

/// What goes first may be what the next one found: it inherits.
void Plan::note_leaving(const std::string& key, Leaving& leaving) {
  for (const auto& other : left_[key]) {
    if (auto found = inherited(leaving.found, other); !found.is_null()) leaving.found = std::move(found);
  }
  left_[key].push_back(leaving);
}

Status Plan::give_back_key(const std::string& id, const std::string& key, Leaving leaving) {
  keys_[id].insert(key);
  note_leaving(key, leaving);
  if (leaving.found.empty()) return {};  // it was never looked at, so never written
  const auto wanted = wanted_.find(key);
  const bool stays = wanted != wanted_.end();
  if (leaving.list) {
    TRY(give_back_list(found_, key, leaving, Json::array()));
    if (!stays) TRY(give_back_list(after_, key, leaving, Json::array()));
    else if (wanted->second.is_array()) TRY(take_items(after_, key, leaving.added, wanted->second));
  } else {
    const bool ours = TRY(give_back_member(found_, key, leaving));
    if (!stays) TRY(give_back_member(after_, key, leaving));
    if (!ours) note(id, key + " was changed by somebody else since and stays");
  }
  if (stays) note(id, key + " is declared again in this apply");
  else if (differs(key)) note(id, "gave back " + key);
  return {};
}

Status Plan::give_back_all() {
  for (const auto& g : give_backs_) {
    std::set<std::string> keys;
    const auto into = into_of(g.declared);
    for (const auto& [key, value] : into.items()) keys.insert(key);
    for (const auto& [key, value] : member(g.applied, "keys").items()) keys.insert(key);
    edit_.changed[g.id] = false;
    for (const auto& key : keys) {
      TRY(give_back_key(g.id, key, leaving_key(key, g.declared, g.found, g.applied, g.resumed)));
    }
  }
  for (const auto& declare : declares_) {  // keys that a record no longer declares
    for (const auto& [key, value] : member(declare.applied, "keys").items()) {
      if (into_of(declare.declared).contains(key)) continue;
      TRY(give_back_key(declare.id, key, leaving_key(key, declare.declared, declare.found, declare.applied, false)));
    }
    for (const auto& [key, value] : member(declare.applied, "keys").items()) {  // items that it no longer declares
      const auto into = into_of(declare.declared);
      if (!into.contains(key) || !value.contains("added") || !into[key].is_array()) continue;
      auto dropped = leaving_key(key, declare.declared, declare.found, declare.applied, false);
      auto& gone = dropped.added;
      gone.erase(std::remove_if(gone.begin(), gone.end(), [&](const Json& i) { return holds(into[key], i); }), gone.end());
      TRY(take_items(found_, key, gone, Json::array()));
      TRY(take_items(after_, key, gone, wanted_[key]));
      note_leaving(key, dropped);
    }
  }
  return {};
}

Status Plan::declare_member(const std::string& key, const Json& value) {
  const auto* now = after_.find(key);
  if (!value.is_array()) {
    if (now != nullptr && TRY(after_.value_of(*now)) == value) return {};
    after_ = TRY(after_.with(key, inline_text(value)));
    return {};
  }
  if (now == nullptr || !now->is_list) {
    if (now != nullptr && TRY(after_.value_of(*now)) != Json{}) {
      return fail_field(Errc::conflict, key, key + " is in the file already and is no list");
    }
    if (!value.empty()) after_ = TRY(after_.with(key, inline_text(value)));
    return {};
  }
  for (const auto& item : value) {
    if (!holds(TRY(items_of(after_, key)), item)) after_ = TRY(after_.with_item(key, inline_text(item)));
  }
  return {};
}

Status Plan::declare_all() {
  for (const auto& [key, value] : wanted_) TRY(declare_member(key, value));
  return {};
}

}  // namespace edit

Result<EngineEdit> plan_engine_edit(const std::optional<std::string>& bytes, const std::vector<GiveBack>& give_backs,
                                    const std::vector<Declare>& declares, const std::string& path, bool engine) {
  try {
    return edit::Plan{give_backs, declares, engine}.make(bytes, path);
  } catch (const Json::exception& e) {  // a record that is not as we write them
    return fail(Errc::failed, "the records of " + path + " cannot be read: " + e.what());
  }
}

}  // namespace berth::host::resources
