#pragma once
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::host {

/// What the host applied for one resource and what it found there before (table resource_record).
struct Record {
  std::string id;      // bare (carried) or module.id (declared)
  std::string module;  // empty for carried
  std::string type;
  std::string state;  // intended, applied, giving_back
  Json declared;
  Json found;
  Json applied;         // null until applied
  std::string push_id;  // empty: made by a bundle
  std::string updated_at;

  bool carried() const { return module.empty(); }
  std::string_view origin() const { return carried() ? "carried" : "declared"; }
  /// As `host.ask records` answers it.
  Json document() const;
  /// From a row of resource_history (`before`), which keeps the whole record.
  static Result<Record> from_history(const std::string& before);
  static Record from(const store::Columns& c);
};

}  // namespace berth::host
