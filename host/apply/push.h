#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "host/resources/resource.h"

namespace berth::host::apply {

/// Finds a type by its name: the visible table, or a test's own.
using Types = std::function<const resources::Type*(std::string_view)>;

/// One declared resource, checked by its type.
struct Resource {
  std::string id;      // as its record: bare (carried) or module.id
  std::string module;  // empty for carried
  const resources::Type* type = nullptr;
  Json declared;
};

struct Module {
  std::string name;
  std::vector<std::string> claims;
  bool claims_seat(std::string_view seat) const;
};

/// A push as docs/formats.md has it, parsed strictly: past this nobody checks a member again.
struct Push {
  std::string push_id, fleet, machine, machine_id, runner, kind, restores, composed_at;
  std::int64_t token = 0, sequence = 0, confirm_s = 0;
  std::map<std::string, std::string> expect;  // file, unit, flags: sha256
  std::vector<std::string> give_back;
  std::vector<Module> modules;
  std::vector<Resource> resources;  // in the order declared
  std::optional<Json> seat;         // absent: the seat stays as it is

  bool whole() const { return kind != "apply"; }  // all of it or, at the first failure, none
};

/// Refuses with the path of the member at fault: bad_request, or unfilled for a placeholder left in it.
Result<Push> parse_push(const Json& body, const Types& types);

/// The resources of a foundation bundle: {"fleet", "machine", "resources": [...], "seat"?}.
struct Bundle {
  std::string fleet, machine;
  std::vector<Resource> resources;
  std::optional<Json> seat;
};
Result<Bundle> parse_bundle(const Json& body, const Types& types);

}  // namespace berth::host::apply
