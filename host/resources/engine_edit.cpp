#include "host/resources/engine_edit.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "host/resources/declared.h"
#include "host/resources/engine_keys.h"
#include "host/resources/json_text.h"

namespace berth::host::resources {
namespace {

using Bytes = std::optional<std::string>;

const Json kNothing = Json::object();

const Json& member(const Json& object, const std::string& key) {
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

/// The members a record declares; an empty list asks for nothing.
Json into_of(const Json& declared) {
  Json into = Json::object();
  for (const auto& [key, value] : member(declared, "into").items()) {
    if (!value.is_array() || !value.empty()) into[key] = value;
  }
  return into;
}

bool holds(const Json& list, const Json& item) { return std::ranges::find(list, item) != list.end(); }

std::string sha_of(const Bytes& bytes) { return sha256_hex(bytes.value_or("")); }

/// The items of a list member, decoded; empty when it is no list or not there.
Result<Json> items_of(const JsonText& text, const std::string& key) {
  Json items = Json::array();
  if (const auto* found = text.find(key); found != nullptr && found->is_list) {
    for (const auto& item : found->items) items.push_back(TRY(text.value_of(item)));
  }
  return items;
}

/// One key of one record that is given back: what was ours of it, and what was there before.
struct Leaving {
  Json value;       // a replaced member's value as we set it
  Json added;       // a list's items that we added
  bool list = false;
  Json found;       // {"present", "text"?, "items"?}
  bool resumed = false;
};

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

/// What a record that stays inherits from one that goes, where what it once found was the other's work: the
/// other's found value. Null: nothing, its own found value holds.
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

Status put_back(JsonText& text, const std::string& key, const Json& found) {
  text = flag_of(found, "present") ? TRY(text.with(key, text_of(found, "text"))) : TRY(text.without(key));
  return {};
}

Status give_back_list(JsonText& text, const std::string& key, const Leaving& leaving, const Json& kept) {
  TRY(take_items(text, key, leaving.added, kept));
  const auto* now = text.find(key);
  const bool was_list = flag_of(leaving.found, "present") && leaving.found.contains("items");
  if (now == nullptr || !now->is_list || !now->items.empty() || was_list || !kept.empty()) return {};
  return put_back(text, key, leaving.found);
}

/// False when somebody else changed the member since: then it stays as they left it.
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

class Plan {
 public:
  Plan(const std::vector<GiveBack>& give_backs, const std::vector<Declare>& declares, bool engine)
      : give_backs_(give_backs), declares_(declares), engine_(engine) {}

  Result<EngineEdit> make(const Bytes& bytes, const std::string& path) {
    edit_.before = bytes;
    now_ = bytes ? TRY(JsonText::parse(*bytes, path)) : JsonText::empty();
    found_ = now_;
    after_ = now_;
    TRY(collect_wanted());
    TRY(give_back_all());
    TRY(declare_all());
    TRY(settle_bytes());
    TRY(settle_neutral());
    TRY(settle_expectation());
    for (const auto& declare : declares_) TRY(settle_record(declare));
    settle_changed();
    return std::move(edit_);
  }

 private:
  Status collect_wanted();
  void note_leaving(const std::string& key, Leaving& leaving);
  Status give_back_key(const std::string& id, const std::string& key, Leaving leaving);
  Status give_back_all();
  Status declare_member(const std::string& key, const Json& value);
  Status declare_all();
  Result<Json> found_member(const std::string& key) const;
  Result<Json> widened_found(const Declare& declare) const;
  Result<Json> added_items(const Declare& declare, const std::string& key, const Json& value) const;
  Status settle_bytes();
  Status settle_neutral();
  Status settle_expectation();
  Status settle_record(const Declare& declare);
  void settle_changed();
  bool made_file() const;
  bool file_was_there() const { return edit_.before && !(made_file() && found_.members().empty()); }
  bool differs(const std::string& key) const;
  void note(const std::string& id, const std::string& text);

  const std::vector<GiveBack>& give_backs_;
  const std::vector<Declare>& declares_;
  const bool engine_;
  EngineEdit edit_;
  JsonText now_ = JsonText::empty();    // the file as it is
  JsonText found_ = JsonText::empty();  // … without all that is given back: what a new record finds
  JsonText after_ = JsonText::empty();  // … as it shall be
  std::map<std::string, Json> wanted_;  // every declared member; lists joined
  std::map<std::string, std::set<std::string>> keys_;  // record id → the keys it touches
  std::map<std::string, std::vector<Leaving>> left_;   // key → what goes of it, newest first
};

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

}  // namespace

Result<EngineEdit> plan_engine_edit(const std::optional<std::string>& bytes, const std::vector<GiveBack>& give_backs,
                                    const std::vector<Declare>& declares, const std::string& path, bool engine) {
  try {
    return Plan{give_backs, declares, engine}.make(bytes, path);
  } catch (const Json::exception& e) {  // a record that is not as we write them
    return fail(Errc::failed, "the records of " + path + " cannot be read: " + e.what());
  }
}

}  // namespace berth::host::resources
