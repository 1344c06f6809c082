#include "holder/events/ledger.h"

#include <algorithm>
#include <charconv>

#include "base/fields.h"
#include "base/json.h"
#include "schema/queries.h"
#include "store/outbox.h"

namespace berth::holder::events {
namespace {

using Text = std::string_view;
using Maybe = std::optional<std::string>;
namespace sql = schema::queries;

constexpr const char* kCursor = "events.cursor";
constexpr const char* kSeq = "events.seq";        // of the newest event recorded
constexpr const char* kQueued = "events.queued";  // of the newest that was queued, or has no subject to go to
constexpr const char* kReload = "engine.last_reload";
constexpr const char* kExpected = "events.expected";  // of which containers an end is coming, and why
constexpr std::int64_t kMissedAtOnce = 500;

struct LiveRow {
  Known known;
  static LiveRow from(const store::Columns& c) {
    Known known;
    known.id = c.text(0);
    known.name = c.text(1);
    known.image = c.text(2);
    known.state = c.text(3);
    known.assignment = c.text(4);
    known.started_at = c.text(5);
    known.restarts = c.integer(6);
    return {known};
  }
};
struct GoneRow {
  std::string id, at;
  static GoneRow from(const store::Columns& c) { return {c.text(0), c.text(1)}; }
};
struct KindRow {
  std::string container, kind;
  static KindRow from(const store::Columns& c) { return {c.text(0), c.text(1)}; }
};
struct EventRow {
  std::int64_t seq;
  std::string id, kind, body;
  static EventRow from(const store::Columns& c) { return {c.integer(0), c.text(1), c.text(2), c.text(3)}; }
};

constexpr store::Query<LiveRow(Text)> kLive{sql::containers_live};
constexpr store::Query<GoneRow(Text, Text)> kGoneSince{sql::events_removed_since};
constexpr store::Query<KindRow(Text, Text)> kLastKinds{sql::event_last_kinds};
constexpr store::Query<std::int64_t(Text, Text, Text, Text)> kSame{sql::event_same};
constexpr store::Query<void(Text, Text, std::int64_t, Text, Text, Maybe, Text)> kRecorded{
    sql::event_recorded};
constexpr store::Query<EventRow(Text, std::int64_t, std::int64_t)> kAfter{sql::events_after_seq};
constexpr store::Query<void(Text, Text, Text, Text, Text, Maybe, Maybe, std::int64_t, Text)> kKept{
    sql::container_kept};
constexpr store::Query<void(Text, Text, Text)> kRemoved{sql::container_removed};

Maybe some(const std::string& text) { return text.empty() ? std::nullopt : Maybe{text}; }

/// What of a container is in its row.
bool same_row(const Known& a, const Known& b) {
  return a.name == b.name && a.image == b.image && a.state == b.state && a.assignment == b.assignment &&
         a.started_at == b.started_at && a.restarts == b.restarts;
}

/// Why the next end of a container comes, where that is told before the end itself.
Json expected_ends(const World& world) {
  Json ends = Json::object();
  for (const auto& [id, known] : world) {
    if (!known.runs() || (!known.asked && !known.oom)) continue;
    auto& end = ends[id] = {{"oom", known.oom}};
    if (known.asked) end["asked"] = {{"signal", known.asked->signal}, {"at", to_rfc3339(known.asked->at)}};
  }
  return ends;
}

Status read_expected(const Json& document, Known& known) {
  Fields end{document, kExpected};
  known.oom = end.boolean("oom", false);
  if (end.has("asked")) {
    Fields asked{end.object("asked"), kExpected};
    const auto at = TRY(parse_rfc3339(asked.text("at")));
    known.asked = Known::Asked{asked.text("signal", ""), at};
    TRY(asked.finish());
  }
  return end.finish();
}

std::string subject_of(const std::map<std::string, std::string>& subjects, const std::string& kind) {
  const auto found = subjects.find(kind);
  return found == subjects.end() ? std::string{} : found->second;
}

}  // namespace

Result<std::int64_t> Ledger::number(const char* setting) {
  const auto text = TRY(store_.setting(setting)).value_or("0");
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<World> Ledger::load_world(std::optional<Time> recent) {
  World world;
  for (auto& row : TRY(store_.all(kLive, machine_))) world.emplace(row.known.id, std::move(row.known));
  if (!recent) return world;
  // Whether `stopped` was told of the newest end, where that end may still have it coming.
  for (const auto& row :
       TRY(store_.all(kLastKinds, machine_, to_rfc3339(*recent - std::chrono::minutes{5})))) {
    const auto found = world.find(row.container);
    if (found != world.end()) found->second.stopped_told = row.kind == "stopped";
  }
  TRY(load_expected(world));
  return world;
}

Status Ledger::load_expected(World& world) {
  const auto ends = TRY(parse_json(TRY(store_.setting(kExpected)).value_or("{}"), kExpected));
  for (const auto& [id, end] : ends.items()) {
    const auto found = world.find(id);
    if (found != world.end()) TRY(read_expected(end, found->second));
  }
  return {};
}

Result<Gone> Ledger::load_gone(Time since) {
  Gone gone;
  for (const auto& row : TRY(store_.all(kGoneSince, machine_, to_rfc3339(since))))
    gone.emplace(row.id, TRY(parse_rfc3339(row.at)));
  return gone;
}

Result<std::optional<Time>> Ledger::cursor() {
  const auto text = TRY(store_.setting(kCursor));
  if (!text) return std::optional<Time>{};
  return std::optional{TRY(parse_rfc3339(*text))};
}

Result<bool> Ledger::is_recorded(const Happening& happening) {
  if (happening.kind == "gap") return false;
  return TRY(store_.first(kSame, machine_, to_rfc3339(happening.at), happening.container, happening.kind))
             .value_or(0) > 0;
}

Result<std::string> Ledger::record(const Happening& happening,
                                   const std::map<std::string, std::string>& subjects) {
  const auto seq = TRY(number(kSeq)) + 1;
  const auto id = machine_ + ":" + store_.id() + ":" + std::to_string(seq);
  const auto body = event_body(happening, id, machine_).dump(-1, ' ', false, Json::error_handler_t::replace);
  TRY(store_.run(kRecorded, id, machine_, seq, happening.kind, to_rfc3339(happening.at),
                 some(happening.container), body));
  TRY(store_.set_setting(kSeq, std::to_string(seq)));
  const auto subject = subject_of(subjects, happening.kind);
  if (subject.empty()) return body;
  TRY(store::queue_message(store_, "event", subject, id, body));
  TRY(store_.set_setting(kQueued, std::to_string(seq)));
  return body;
}

Status Ledger::write_container(const Known& known, const std::string& at) {
  TRY(store_.run(kKept, machine_, known.id, known.name, known.image, known.state, some(known.assignment),
                 some(known.started_at), known.restarts, at));
  return {};
}

Status Ledger::write_world(const World& before, const World& after) {
  const auto now = store_.now();
  for (const auto& [id, known] : after) {
    const auto was = before.find(id);
    if (was == before.end() || !same_row(was->second, known)) TRY(write_container(known, now));
  }
  for (const auto& [id, known] : before) {
    if (!after.contains(id)) TRY(store_.run(kRemoved, machine_, id, now));
  }
  return {};
}

Result<std::vector<std::string>> Ledger::write(const Batch& batch, const World& before, const World& after,
                                               const std::map<std::string, std::string>& subjects) {
  std::vector<std::string> bodies;
  TRY(store_.transaction([&]() -> Status {
    bodies.clear();
    for (const auto& happening : batch.happenings) {
      if (!TRY(is_recorded(happening))) bodies.push_back(TRY(record(happening, subjects)));
    }
    TRY(write_world(before, after));
    if (const auto ends = expected_ends(after); ends != expected_ends(before))
      TRY(store_.set_setting(kExpected, ends.dump(-1, ' ', false, Json::error_handler_t::replace)));
    if (batch.cursor) TRY(store_.set_setting(kCursor, to_rfc3339(*batch.cursor)));
    if (!batch.reload) return {};
    const Json reload = {{"at", to_rfc3339(batch.reload->at)},
                         {"attributes", Json(batch.reload->attributes)}};
    return store_.set_setting(kReload, reload.dump(-1, ' ', false, Json::error_handler_t::replace));
  }));
  return bodies;
}

Result<std::int64_t> Ledger::queue_missed(const std::map<std::string, std::string>& subjects) {
  if (subjects.empty()) return std::int64_t{0};
  std::int64_t queued = 0;
  for (bool more = true; more;) {
    more = false;
    TRY(store_.transaction([&]() -> Status {
      const auto rows = TRY(store_.all(kAfter, machine_, TRY(number(kQueued)), kMissedAtOnce));
      for (const auto& row : rows) {
        if (const auto subject = subject_of(subjects, row.kind); !subject.empty()) {
          TRY(store::queue_message(store_, "event", subject, row.id, row.body));
          ++queued;
        }
      }
      if (!rows.empty()) TRY(store_.set_setting(kQueued, std::to_string(rows.back().seq)));
      more = std::ssize(rows) == kMissedAtOnce;
      return {};
    }));
  }
  return queued;
}

Result<std::optional<Reload>> last_reload(store::Store& store) {
  const auto text = TRY(store.setting(kReload));
  if (!text) return std::optional<Reload>{};
  const auto document = TRY(parse_json(*text, kReload));
  Fields fields{document, kReload};
  Reload reload{fields.text("at"), {}};
  for (const auto& [key, value] : fields.object("attributes").items()) {
    if (value.is_string()) reload.attributes.emplace(key, value.get<std::string>());
  }
  TRY(fields.finish());
  return std::optional{std::move(reload)};
}

}  // namespace berth::holder::events
