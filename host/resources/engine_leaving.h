#pragma once
// For engine_edit's sources alone: what is taken out of the file again, one key of one record at a time.
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "host/resources/json_text.h"

namespace berth::host::resources::edit {

using Bytes = std::optional<std::string>;

const Json& member(const Json& object, std::string_view key);
/// The members a record declares; an empty list asks for nothing.
Json into_of(const Json& declared);
bool holds(const Json& list, const Json& item);
std::string sha_of(const Bytes& bytes);
/// The items of a list member, decoded; empty when it is no list or not there.
Result<Json> items_of(const JsonText& text, const std::string& key);

/// One key of one record that is given back: what was ours of it, and what was there before.
struct Leaving {
  Json value;       // a replaced member's value as we set it
  Json added;       // a list's items that we added
  bool list = false;
  Json found;       // {"present", "text"?, "items"?}
  bool resumed = false;
};

Leaving leaving_key(const std::string& key, const Json& declared, const Json& found, const Json& applied, bool resumed);
/// What a record that stays inherits from one that goes, where what it once found was the other's work: the
/// other's found value. Null: nothing, its own found value holds.
Json inherited(const Json& found, const Leaving& from);
Status take_items(JsonText& text, const std::string& key, const Json& added, const Json& kept);
Status give_back_list(JsonText& text, const std::string& key, const Leaving& leaving, const Json& kept);
/// False when somebody else changed the member since: then it stays as they left it.
Result<bool> give_back_member(JsonText& text, const std::string& key, const Leaving& leaving);

}  // namespace berth::host::resources::edit
