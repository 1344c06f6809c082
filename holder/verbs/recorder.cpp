#include "holder/verbs/recorder.h"

#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "schema/queries.h"

namespace berth::holder::verbs {
namespace {

using Text = std::string_view;
constexpr store::Query<void(Text, std::string, Text, Text, Text, std::optional<std::string>, Text,
                            std::optional<std::string>, std::int64_t)>
    kMade{schema::queries::verb_call_made};
constexpr store::Query<void(Text)> kEnded{schema::queries::verb_call_ended};

/// An act that was begun, as it stands in `setting` until it is ended.
struct OpenAct {
  std::string key, row, began;
  static OpenAct from(const store::Columns& c) { return {c.text(0), c.text(1), c.text(2)}; }
};
constexpr store::Query<OpenAct()> kOpen{schema::queries::verb_call_open};

struct StartsRow {
  std::string container;
  std::int64_t count = 0;
  static StartsRow from(const store::Columns& c) { return {c.text(0), c.integer(1)}; }
};
constexpr store::Query<StartsRow(Text, Text, std::int64_t)> kStarts{schema::queries::starts_since};

std::optional<std::string> some(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{text};
}

std::string document_of(const CallRow& row) {
  const Json document = {
      {"face", row.face}, {"caller", row.caller}, {"verb", row.verb}, {"target", row.target}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<CallRow> row_of(const OpenAct& act) {
  const auto document = TRY(parse_json(act.row, "setting " + act.key));
  Fields fields{document, act.key};
  CallRow row;
  row.face = fields.text("face");
  row.caller = fields.text("caller");
  row.verb = fields.text("verb");
  row.target = fields.text("target", "");
  TRY(fields.finish());
  row.outcome = "timeout";
  row.detail = "the holder ended within this call: whether it was done is unknown";
  return row;
}

}  // namespace

Status Recorder::insert(store::Store& store, const CallRow& row) {
  TRY(store.run(kMade, machine_, store.now(), row.face, row.caller, row.verb, some(row.target), row.outcome,
                some(row.detail), row.duration_ms));
  return {};
}

Result<Recorder::Begun> Recorder::begin(const CallRow& row) {
  Begun begun{"act." + random_hex(8)};
  TRY(store_.with([&](store::Store& store) {
    return store.transaction([&] { return store.set_setting(begun.key, document_of(row)); });
  }));
  return begun;
}

Status Recorder::end(const Begun& begun, const CallRow& row) {
  return store_.with([&](store::Store& store) {
    return store.transaction([&]() -> Status {
      TRY(insert(store, row));
      TRY(store.run(kEnded, begun.key));
      return {};
    });
  });
}

Status Recorder::refuse(const CallRow& row) {
  return store_.with(
      [&](store::Store& store) { return store.transaction([&] { return insert(store, row); }); });
}

Result<std::map<std::string, std::int64_t>> Recorder::starts_since(Time from, std::int64_t at_least) {
  std::map<std::string, std::int64_t> starts;
  const auto since = to_rfc3339(from);
  for (const auto& row : TRY(store_.with([&](store::Store& store) { return store.all(kStarts, machine_, since, at_least); })))
    starts.emplace(row.container, row.count);
  return starts;
}

Result<std::vector<Recorder::Lost>> Recorder::recover() {
  std::vector<Lost> lost;
  TRY(store_.with([&](store::Store& store) {
    return store.transaction([&]() -> Status {
      for (const auto& act : TRY(store.all(kOpen))) {
        const auto row = TRY(row_of(act));
        TRY(insert(store, row));
        TRY(store.run(kEnded, act.key));
        const auto began = TRY(parse_rfc3339(act.began));
        lost.push_back({row.verb, row.target, began});
      }
      return {};
    });
  }));
  return lost;
}

}  // namespace berth::holder::verbs
