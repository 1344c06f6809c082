#include "store/outbox.h"

#include "schema/queries.h"

namespace berth::store {
namespace {

using Text = std::string_view;
constexpr Query<std::int64_t(Text, Text, Text, Text, std::string)> kQueue{schema::queries::outbox_queue};
constexpr Query<std::int64_t()> kNextSeq{schema::queries::outbox_next_seq};
constexpr Query<OutboxRow(std::int64_t)> kOldest{schema::queries::outbox_oldest};
constexpr Query<void(std::int64_t)> kDelivered{schema::queries::outbox_delivered};

}  // namespace

OutboxRow OutboxRow::from(const Columns& c) { return {c.integer(0), c.text(1), c.text(2), c.text(3)}; }

Result<std::int64_t> queue_message(Store& store, Text kind, Text subject, Text message_id, Text body) {
  const auto seq = TRY(store.first(kQueue, kind, subject, message_id, body, store.now()));
  if (!seq) return fail(Errc::failed, "the outbox gave no seq for " + std::string{message_id});
  return *seq;
}

Result<std::int64_t> next_outbox_seq(Store& store) {
  return TRY(store.first(kNextSeq)).value_or(1);
}

Result<std::vector<OutboxRow>> oldest_messages(Store& store, std::int64_t limit) { return store.all(kOldest, limit); }

Status message_delivered(Store& store, std::int64_t seq) {
  TRY(store.run(kDelivered, seq));
  return {};
}

}  // namespace berth::store
