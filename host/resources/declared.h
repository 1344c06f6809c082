#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/fields.h"
#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::host::resources {

/// The members every resource may have beside its type's own.
void read_common(Fields& fields);
/// Refuses a path that is not absolute or that walks upwards.
std::string path_field(Fields& fields, std::string_view key);
std::string unit_field(Fields& fields, std::string_view key);
/// "0644" → 0644; nothing when absent.
std::optional<mode_t> mode_field(Fields& fields, std::string_view key);

struct Owner { std::optional<uid_t> uid; std::optional<gid_t> gid; };
/// "user:group" or "user", names or numbers, as this machine knows them. Empty: nothing said.
Result<Owner> find_owner(std::string_view text);

std::string text_of(const Json& object, std::string_view key, std::string otherwise = {});
bool flag_of(const Json& object, std::string_view key, bool otherwise = false);

/// Bytes in a JSON document: as text where they are UTF-8, else base64.
Json document_of_bytes(std::string_view bytes);
Result<std::string> bytes_of_document(const Json& document);

}  // namespace berth::host::resources
