// What a record keeps of an edit, the bytes it ends with, and what the engine must say of it.
#include <algorithm>

#include "host/resources/declared.h"
#include "host/resources/engine_keys.h"
#include "host/resources/engine_plan.h"

namespace berth::host::resources::edit {

bool Plan::made_file() const {
  const auto made = [](const Json& found, const Json& applied) {
    return (found.is_object() && !flag_of(found, "exists", true)) || flag_of(member(applied, "made"), "file");
  };
  return std::ranges::any_of(give_backs_, [&](const auto& g) { return made(g.found, g.applied); }) ||
         std::ranges::any_of(declares_, [&](const auto& d) { return made(d.found, d.applied); });
}

/// The bytes to end with. Where nobody else touched the file since, and what we leave says the same as the
/// bytes that were there before us, it is those bytes.
Status Plan::settle_bytes() {
  for (const auto& g : give_backs_) {
    for (const auto& folder : member(g.found, "folders")) edit_.made_folders.push_back(folder);
    for (const auto& folder : member(member(g.applied, "made"), "folders")) edit_.made_folders.push_back(folder);
  }
  const bool goes = after_.members().empty() && declares_.empty() && made_file();
  if (!edit_.before && declares_.empty()) edit_.final = std::nullopt;
  else if (!goes) edit_.final = after_.bytes();
  for (const auto& g : give_backs_) {
    const auto& file = member(g.applied, "file");
    if (text_of(file, "after_sha256") != sha_of(edit_.before) || !file.contains("before")) continue;
    if (file["before"].is_null() || !edit_.final) continue;
    const auto before = TRY(bytes_of_document(file["before"]));
    const auto was = Json::parse(before, nullptr, false);
    if (!was.is_discarded() && was == Json::parse(after_.bytes(), nullptr, false)) edit_.final = before;
  }
  return {};
}

Status Plan::settle_neutral() {
  edit_.reload_with = edit_.final;
  if (!engine_) return {};
  auto text = after_;
  bool needed = false;
  for (const auto& now : now_.members()) {
    const auto* row = find_engine_key(now.key);
    if (row == nullptr || row->neutral.empty() || after_.find(now.key) != nullptr) continue;
    text = TRY(text.with(now.key, row->neutral));
    needed = true;
  }
  if (needed) edit_.reload_with = text.bytes();
  return {};
}

Status Plan::settle_expectation() {
  if (!engine_) return {};
  std::set<std::string> touched;
  for (const auto& [id, keys] : keys_) touched.insert(keys.begin(), keys.end());
  for (const auto& key : touched) {
    const auto* row = find_engine_key(key);
    if (row != nullptr && row->taken == Taken::at_start && differs(key)) edit_.waiting.push_back(key);
  }
  if (touched.contains("live-restore")) {
    const auto* after = after_.find("live-restore");
    if (after != nullptr) edit_.expect.live_restore = TRY(after_.value_of(*after)) == Json(true);
    else if (now_.find("live-restore") != nullptr) edit_.expect.live_restore = false;
  }
  const auto before = TRY(items_of(now_, "insecure-registries"));
  const auto after = TRY(items_of(after_, "insecure-registries"));
  if (const auto wanted = wanted_.find("insecure-registries"); wanted != wanted_.end()) {
    for (const auto& item : wanted->second) edit_.expect.registries.push_back(item);
  }
  for (const auto& item : before) {
    if (item.is_string() && !holds(after, item)) edit_.expect.registries_gone.push_back(item);
  }
  return {};
}

Result<Json> Plan::found_member(const std::string& key) const {
  const auto* found = found_.find(key);
  if (found == nullptr) return Json{{"present", false}};
  Json document = {{"present", true}, {"text", found_.text_of(*found)}};
  if (found->is_list) document["items"] = TRY(items_of(found_, key));
  return document;
}

Result<Json> Plan::widened_found(const Declare& declare) const {
  auto found = declare.found;
  if (!found.is_object() || found.empty()) {
    found = {{"exists", file_was_there()}, {"members", Json::object()}, {"folders", Json::array()}};
    if (!file_was_there() && edit_.before) found["folders"] = edit_.made_folders;
  }
  const auto into = into_of(declare.declared);
  for (const auto& [key, value] : into.items()) {
    if (!member(found, "members").contains(key)) found["members"][key] = TRY(found_member(key));
  }
  return found;
}

/// The items of `value` that are ours to take out again.
Result<Json> Plan::added_items(const Declare& declare, const std::string& key, const Json& value) const {
  const auto& prior = member(member(member(declare.applied, "keys"), key), "added");
  const bool interrupted = declare.applied.is_null() && declare.found.is_object();
  const auto there = interrupted ? member(member(member(declare.found, "members"), key), "items") : TRY(items_of(found_, key));
  Json added = Json::array();
  for (const auto& item : value) {
    if (holds(prior, item) || !holds(there, item)) added.push_back(item);
  }
  return added;
}

Status Plan::settle_record(const Declare& declare) {
  edit_.found[declare.id] = TRY(widened_found(declare));
  Json keys = Json::object();
  const auto into = into_of(declare.declared);
  for (const auto& [key, value] : into.items()) {
    const auto wanted = engine_ ? TRY(engine_value(key, value)) : value;
    if (wanted.is_array()) keys[key]["added"] = TRY(added_items(declare, key, wanted));
    else keys[key]["value"] = wanted;
    auto from = member(member(member(declare.applied, "keys"), key), "inherited");
    bool has = !from.empty();
    const bool again = declare.applied.is_object() && !member(declare.applied, "keys").contains(key) &&
                       member(declare.found, "members").contains(key);
    if (again) from = TRY(found_member(key)), has = true;  // it did not declare the key meanwhile: that find is old
    if (!has) from = member(member(declare.found, "members"), key);
    bool gained = false;
    for (const auto& leaving : left_[key]) {
      if (auto next = inherited(from, leaving); !next.is_null()) from = next, gained = true;
    }
    if (has || gained) keys[key]["inherited"] = from;
  }
  const auto& had = member(declare.applied, "file");
  const bool in_step = text_of(had, "after_sha256") == sha_of(edit_.before);
  Json file = {{"after_sha256", sha_of(edit_.final)}};
  if (had.contains("before") && (in_step || !edit_.changes())) file["before"] = had["before"];
  else file["before"] = edit_.before ? document_of_bytes(*edit_.before) : Json{};
  Json made = {{"file", made_file() || !edit_.before}, {"folders", edit_.made_folders}};
  edit_.applied[declare.id] = {{"keys", keys}, {"file", file}, {"made", made}};
  return {};
}

void Plan::settle_changed() {
  for (const auto& declare : declares_) edit_.changed[declare.id] = false;
  for (const auto& [id, keys] : keys_) {
    std::string wrote;
    for (const auto& key : keys) {
      if (!differs(key)) continue;
      edit_.changed[id] = true;
      if (wanted_.contains(key)) wrote += (wrote.empty() ? "wrote " : ", ") + key;
    }
    const bool declares = edit_.applied.contains(id);
    if (declares && !wrote.empty()) note(id, wrote);
  }
}

}  // namespace berth::host::resources::edit
