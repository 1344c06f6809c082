#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/manifest.h"

namespace berth::catalogue {

/// One ${…}: {"seat", "mesh-artifact-store"}, {"machine", "account"}, {"setting", "resolver"}.
struct Placeholder {
  enum class Source { seat_reach, machine, setting };
  Source source;
  std::string name;
  std::string text;  // as it stands, for errors
};

/// The placeholders of a text, in order. A ${ that is none of ${seat:<seat>:reach}, ${machine:account},
/// ${machine:name} and ${setting:<key>} is Errc::unfilled naming it.
Result<std::vector<Placeholder>> find_placeholders(std::string_view text, const std::string& path);

/// Every placeholder of a resource is one that could be filled: known, and a setting of this module.
Status check_placeholders(const Json& resource, const Manifest& manifest, const std::string& path);

/// Fills a document. A text that is one placeholder becomes its value, of whatever type; a placeholder
/// inside a longer text becomes the text of its value. A member whose value is empty (null, "" or []) is
/// dropped, a list given for a list's member is spliced in, and a list or object that dropping emptied is
/// dropped too. What a value brings in is not filled again.
using Lookup = std::function<Result<Json>(const Placeholder&)>;
Result<Json> fill(const Json& document, const Lookup& lookup, const std::string& path);

/// Errc::unfilled when a placeholder still stands anywhere in a document, naming where.
Status check_filled(const Json& document, const std::string& path);

}  // namespace berth::catalogue
