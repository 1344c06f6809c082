#include "host/records/records.h"

#include <map>

#include "schema/queries.h"

namespace berth::host {
namespace {

namespace sql = schema::queries;
using Text = std::string_view;
using MaybeText = std::optional<std::string>;

struct HistoryRow {
  std::string id;
  MaybeText before;
  static HistoryRow from(const store::Columns& c) { return {c.text(0), c.maybe_text(1)}; }
};

constexpr store::Query<Record(Text)> kAll{sql::record_all};
constexpr store::Query<Record(Text, Text)> kFindRecord{sql::record_find};
constexpr store::Query<void(Text, Text, MaybeText, Text, Text, Text, std::string, std::string, MaybeText,
                            MaybeText, Text)>
    kPut{sql::record_put};
constexpr store::Query<void(Text, Text, Text, MaybeText, Text)> kState{sql::record_state};
constexpr store::Query<void(Text, Text)> kDelete{sql::record_delete};
constexpr store::Query<HistoryRow(Text, Text)> kBeforePush{sql::record_before_push};
constexpr store::Query<HistoryRow(Text, Text)> kAsBeforePush{sql::records_as_before_push};

constexpr store::Query<std::int64_t(Text, Text)> kMadeContainer{sql::record_made_container};

MaybeText maybe(std::string_view text) { return text.empty() ? MaybeText{} : MaybeText{std::string{text}}; }

}  // namespace

Result<std::vector<Record>> Records::all() const { return store_->all(kAll, machine_); }

Result<std::optional<Record>> Records::find(std::string_view id) const {
  return store_->first(kFindRecord, machine_, id);
}

Status Records::put(Record record) {
  record.updated_at = store_->now();
  return put_exactly(record);
}

Status Records::put_exactly(const Record& r) {
  const auto applied = r.applied.is_null() ? MaybeText{} : MaybeText{r.applied.dump()};
  TRY(store_->run(kPut, machine_, r.id, maybe(r.module), r.type, r.origin(), r.state, r.declared.dump(),
                  r.found.dump(), applied, maybe(r.push_id), r.updated_at));
  return {};
}

Status Records::mark(std::string_view id, std::string_view state, std::string_view push_id) {
  TRY(store_->run(kState, machine_, id, state, maybe(push_id), store_->now()));
  return {};
}

Status Records::forget(std::string_view id) {
  TRY(store_->run(kDelete, machine_, id));
  return {};
}

Result<std::vector<Records::Touched>> Records::before_push(std::string_view push_id) const {
  std::vector<Touched> touched;
  for (auto& row : TRY(store_->all(kBeforePush, machine_, push_id))) {
    std::optional<Record> before;
    if (row.before) before = TRY(Record::from_history(*row.before));
    touched.push_back({std::move(row.id), std::move(before)});
  }
  return touched;
}

Result<std::vector<Record>> Records::as_before_push(std::string_view push_id) const {
  std::map<std::string, Record> then;
  for (auto& record : TRY(all())) then.emplace(record.id, record);
  for (const auto& row : TRY(store_->all(kAsBeforePush, machine_, push_id))) {
    then.erase(row.id);
    if (row.before) then.emplace(row.id, TRY(Record::from_history(*row.before)));
  }
  std::vector<Record> list;
  for (auto& [id, record] : then) list.push_back(std::move(record));
  return list;
}

Result<bool> Records::made_container(std::string_view id) const {
  return TRY(store_->first(kMadeContainer, machine_, id)).value_or(0) != 0;
}

}  // namespace berth::host
