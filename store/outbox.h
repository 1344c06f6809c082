#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace berth::store {

/// What must still reach the bus. Queued in the transaction that made it true, taken off only when the
/// stream has acknowledged it; the message id makes a second delivery harmless.
struct OutboxRow {
  std::int64_t seq;
  std::string subject;
  std::string message_id;
  std::string body;
  static OutboxRow from(const Columns& c);
};

/// Queues one message and answers its seq. `kind` is "report" or "event"; message_id must be unique.
Result<std::int64_t> queue_message(Store& store, std::string_view kind, std::string_view subject,
                                   std::string_view message_id, std::string_view body);
/// The next seq this store would give, to make the id <machine>:<store>:<seq> before queueing.
Result<std::int64_t> next_outbox_seq(Store& store);
Result<std::vector<OutboxRow>> oldest_messages(Store& store, std::int64_t limit);
Status message_delivered(Store& store, std::int64_t seq);

}  // namespace berth::store
