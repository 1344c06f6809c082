#include "host/records/pushes.h"

#include "base/fields.h"
#include "schema/queries.h"

namespace berth::host {
namespace {

namespace sql = schema::queries;
using Text = std::string_view;

constexpr store::Query<PushRow(Text)> kFindPush{sql::host_push_find};
constexpr store::Query<PushRow(Text)> kNewest{sql::host_push_newest};
constexpr store::Query<PushRow(Text)> kOpen{sql::host_push_open};
constexpr store::Query<void(Text, Text, std::int64_t, std::int64_t, Text, std::string, Text)> kAccept{
    sql::host_push_accept};
constexpr store::Query<void(Text, Text, std::string, Text)> kEnd{sql::host_push_end};
constexpr store::Query<void(Text)> kDropSetting{sql::host_setting_delete};

Json parsed(const std::string& text) {
  auto document = parse_json(text, "a stored document", 70);
  return document ? std::move(document).value() : Json{};
}

std::string key_of(std::string_view what, std::string_view push_id) {
  return std::string{what} + ":" + std::string{push_id};
}

}  // namespace

PushRow PushRow::from(const store::Columns& c) {
  PushRow row;
  row.push_id = c.text(0);
  row.machine = c.text(1);
  row.sequence = c.integer(2);
  row.token = c.integer(3);
  row.kind = c.text(4);
  row.body = parsed(c.text(5));
  row.state = c.text(6);
  if (const auto report = c.maybe_text(7)) row.report = parsed(*report);
  row.accepted_at = c.text(8);
  return row;
}

Result<std::optional<PushRow>> Pushes::find(std::string_view push_id) const {
  return store_->first(kFindPush, push_id);
}
Result<std::optional<PushRow>> Pushes::newest() const { return store_->first(kNewest, machine_); }
Result<std::vector<PushRow>> Pushes::open() const { return store_->all(kOpen, machine_); }

Status Pushes::accept(const PushRow& row) {
  TRY(store_->run(kAccept, row.push_id, machine_, row.sequence, row.token, row.kind, row.body.dump(),
                  store_->now()));
  return {};
}

Status Pushes::end(std::string_view push_id, std::string_view state, const Json& report) {
  TRY(store_->run(kEnd, push_id, state, report.dump(), store_->now()));
  return {};
}

Result<Json> Pushes::fact(std::string_view what, std::string_view push_id) const {
  return document_setting(*store_, key_of(what, push_id));
}
Status Pushes::set_fact(std::string_view what, std::string_view push_id, const Json& value) {
  return set_document_setting(*store_, key_of(what, push_id), value);
}
Status Pushes::drop_fact(std::string_view what, std::string_view push_id) {
  return drop_setting(*store_, key_of(what, push_id));
}

Result<Json> document_setting(store::Store& store, std::string_view key) {
  const auto text = TRY(store.setting(key));
  return text ? parsed(*text) : Json{};
}

Status set_document_setting(store::Store& store, std::string_view key, const Json& value) {
  return store.set_setting(key, value.dump());
}

Status drop_setting(store::Store& store, std::string_view key) {
  TRY(store.run(kDropSetting, key));
  return {};
}

}  // namespace berth::host
