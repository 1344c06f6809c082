#include "migrate/ledger.h"
#include "schema/queries.h"

namespace berth::migrate {
namespace {

using store::Query;

constexpr Query<void(std::string_view, std::string_view, std::int64_t, std::int64_t, std::string_view,
                     std::string_view, std::string_view)>
    kPushIntended{schema::queries::push_intended};
constexpr Query<void(std::string_view, std::string_view, std::optional<std::string>,
                     std::optional<std::string>)>
    kPushMoved{schema::queries::push_moved};
constexpr Query<SentPush(std::string_view)> kPushSent{schema::queries::push_sent};
constexpr Query<SentPush(std::string_view, std::string_view)> kPushUndoing{schema::queries::push_undoing};

}  // namespace

SentPush SentPush::from(const store::Columns& c) {
  return {c.text(0), c.text(1), c.text(2), c.text(3), c.text(4)};
}

Status push_intended(store::Store& store, const Intended& push) {
  TRY(store.run(kPushIntended, push.push_id, push.machine, push.sequence, push.token, push.kind, push.body,
                store.now()));
  return {};
}

Status push_moved(store::Store& store, std::string_view push_id, std::string_view state,
                  std::string_view report) {
  const bool ended = state != "accepted";
  TRY(store.run(kPushMoved, push_id, state,
                report.empty() ? std::nullopt : std::optional{std::string{report}},
                ended ? std::optional{store.now()} : std::nullopt));
  return {};
}

Result<std::optional<SentPush>> sent_push(store::Store& store, std::string_view push_id) {
  return store.first(kPushSent, push_id);
}

Result<std::optional<SentPush>> begun_back_out(store::Store& store, std::string_view machine,
                                               std::string_view restores) {
  return store.first(kPushUndoing, machine, restores);
}

}  // namespace berth::migrate
