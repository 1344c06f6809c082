#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::host {

/// A push as the host's store keeps it (table push).
struct PushRow {
  std::string push_id, machine;
  std::int64_t sequence = 0, token = 0;
  std::string kind, state;
  Json body;
  Json report;  // null until it ended
  std::string accepted_at;
  static PushRow from(const store::Columns& c);
};

/// Pushes and the durable facts kept about one, under `<what>:<push_id>` in `setting`. One thread, as the
/// store.
class Pushes {
 public:
  Pushes(store::Store& store, std::string machine) : store_(&store), machine_(std::move(machine)) {}

  Result<std::optional<PushRow>> find(std::string_view push_id) const;
  Result<std::optional<PushRow>> newest() const;  // the highest sequence, whatever came of it
  Result<std::vector<PushRow>> open() const;      // accepted and not ended
  Status accept(const PushRow& row);
  Status end(std::string_view push_id, std::string_view state, const Json& report);

  /// null when nothing is kept.
  Result<Json> fact(std::string_view what, std::string_view push_id) const;
  Status set_fact(std::string_view what, std::string_view push_id, const Json& value);
  Status drop_fact(std::string_view what, std::string_view push_id);

 private:
  store::Store* store_;
  std::string machine_;
};

/// A JSON document under a setting's key; null when there is none.
Result<Json> document_setting(store::Store& store, std::string_view key);
Status set_document_setting(store::Store& store, std::string_view key, const Json& value);
Status drop_setting(store::Store& store, std::string_view key);

}  // namespace berth::host
