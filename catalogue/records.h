#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::catalogue {

/// What a machine says it holds for one resource; the part of a record that composing looks at.
struct Record {
  std::string id;      // bare (carried) or module.id
  std::string module;  // empty for carried
  std::string type;
  std::string origin;    // carried, declared
  std::string declared;  // the resolved resource, JSON text
  bool is_declared() const { return origin == "declared"; }
};

/// The "records" member of host.ask's answers (records, snapshot). Members we do not look at may be there.
Result<std::vector<Record>> parse_records(const Json& records);

}  // namespace berth::catalogue
