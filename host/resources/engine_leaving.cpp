#include "host/resources/engine_leaving.h"

#include <algorithm>

#include "base/hash.h"
#include "host/resources/declared.h"
#include "host/resources/engine_keys.h"

namespace berth::host::resources::edit {
namespace {

const Json kNothing = Json::object();

Status put_back(JsonText& text, const std::string& key, const Json& found) {
  text = flag_of(found, "present") ? TRY(text.with(key, text_of(found, "text"))) : TRY(text.without(key));
  return {};
}

}  // namespace

const Json& member(const Json& object, std::string_view key) {
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

Json into_of(const Json& declared) {
  Json into = Json::object();
  for (const auto& [key, value] : member(declared, "into").items()) {
    if (!value.is_array() || !value.empty()) into[key] = value;
  }
  return into;
}

bool holds(const Json& list, const Json& item) { return std::ranges::find(list, item) != list.end(); }

std::string sha_of(const Bytes& bytes) { return sha256_hex(bytes.value_or("")); }

Result<Json> items_of(const JsonText& text, const std::string& key) {
  Json items = Json::array();
  if (const auto* found = text.find(key); found != nullptr && found->is_list) {
    for (const auto& item : found->items) items.push_back(TRY(text.value_of(item)));
  }
  return items;
}

Leaving leaving_key(const std::string& key, const Json& declared, const Json& found, const Json& applied, bool resumed) {
  Leaving leaving;
  const auto& ours = member(member(applied, "keys"), key);
  leaving.found = ours.contains("inherited") ? ours["inherited"] : member(member(found, "members"), key);
  leaving.resumed = resumed;
  const auto& value = ours.contains("value") ? ours["value"] : member(member(declared, "into"), key);
  leaving.value = value;
  leaving.list = ours.contains("added") || (!ours.contains("value") && value.is_array());
  if (ours.contains("added")) {
    leaving.added = ours["added"];
  } else if (leaving.list) {  // never marked applied: all that was not there before may be ours
    leaving.added = Json::array();
    for (const auto& item : value) {
      if (!holds(member(leaving.found, "items"), item)) leaving.added.push_back(item);
    }
  }
  return leaving;
}

Json inherited(const Json& found, const Leaving& from) {
  if (!flag_of(found, "present") || from.found.empty() || from.list != found.contains("items")) return nullptr;
  if (!from.list) {
    const bool theirs = Json::parse(text_of(found, "text"), nullptr, false) == from.value;
    return theirs ? from.found : Json{};
  }
  auto left = found;
  auto& items = left["items"];
  const auto had = items.size();
  items.erase(std::remove_if(items.begin(), items.end(), [&](const Json& i) { return holds(from.added, i); }), items.end());
  if (items.size() == had) return nullptr;
  return items.empty() && !flag_of(from.found, "present") ? from.found : left;
}

Status take_items(JsonText& text, const std::string& key, const Json& added, const Json& kept) {
  for (const auto& item : added) {
    if (holds(kept, item)) continue;
    const auto now = TRY(items_of(text, key));
    const auto last = std::find(now.rbegin(), now.rend(), item);  // the one that came last is ours
    if (last == now.rend()) continue;
    text = TRY(text.without_item(key, static_cast<std::size_t>(std::distance(last, now.rend())) - 1));
  }
  return {};
}

Status give_back_list(JsonText& text, const std::string& key, const Leaving& leaving, const Json& kept) {
  TRY(take_items(text, key, leaving.added, kept));
  const auto* now = text.find(key);
  const bool was_list = flag_of(leaving.found, "present") && leaving.found.contains("items");
  if (now == nullptr || !now->is_list || !now->items.empty() || was_list || !kept.empty()) return {};
  return put_back(text, key, leaving.found);
}

Result<bool> give_back_member(JsonText& text, const std::string& key, const Leaving& leaving) {
  const auto* now = text.find(key);
  if (now == nullptr) return true;
  const auto value = TRY(text.value_of(*now));
  const auto* row = find_engine_key(key);
  const bool neutral = leaving.resumed && row != nullptr && !row->neutral.empty() && value == Json::parse(row->neutral);
  if (value != leaving.value && !neutral) return false;
  TRY(put_back(text, key, leaving.found));
  return true;
}

}  // namespace berth::host::resources::edit
