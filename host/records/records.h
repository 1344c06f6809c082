#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/records/record.h"
#include "store/store.h"

namespace berth::host {

/// The machine's records in the host's store. Each call is durable when it answers, unless it is made inside
/// a transaction of the store. One thread, as the store.
class Records {
 public:
  Records(store::Store& store, std::string machine) : store_(&store), machine_(std::move(machine)) {}

  Result<std::vector<Record>> all() const;
  Result<std::optional<Record>> find(std::string_view id) const;
  /// Writes the record as it is; `updated_at` becomes now. `found` of an applied record cannot change.
  Status put(Record record);
  /// Puts a record back exactly as history holds it, its own push and time included.
  Status put_exactly(const Record& record);
  Status mark(std::string_view id, std::string_view state, std::string_view push_id);
  /// Deletes; the history row names the push of the record's last change, so mark it before.
  Status forget(std::string_view id);

  /// Each record a push touched, as it was until then; `before` empty when the push made it. Newest touched
  /// first.
  struct Touched {
    std::string id;
    std::optional<Record> before;
  };
  Result<std::vector<Touched>> before_push(std::string_view push_id) const;
  /// All records as they were when that push first touched one, whatever has come since.
  Result<std::vector<Record>> as_before_push(std::string_view push_id) const;
  /// Whether a container of this id was ever applied by one of our records, as history has it, and was not
  /// there before that record.
  Result<bool> made_container(std::string_view id) const;

 private:
  store::Store* store_;
  std::string machine_;
};

}  // namespace berth::host
