#include "store/ingest.h"

#include "base/fields.h"
#include "base/json.h"
#include "schema/queries.h"

namespace berth::store {
namespace {

using Text = std::string_view;
using Maybe = std::optional<std::string>;
namespace sql = schema::queries;

constexpr Query<void(Text, Text, std::int64_t, Text, Maybe, Text, Text, Text, Text, Text)> kReportReceived{
    sql::report_received};
constexpr Query<void(Text, Text, Text, Text)> kMachineReported{sql::machine_reported};
constexpr Query<void(Text, Text, std::int64_t, Text, Text, Maybe, Text)> kEventReceived{sql::event_received};
constexpr Query<void(Text, Text, Text, Text, Text, Maybe, Maybe, Text, Maybe)> kContainerChanged{
    sql::container_changed};

/// Members that a newer program writes and this one does not know are kept in the body, not refused.
void let_others_be(Fields& fields, const Json& object) {
  if (!object.is_object()) return;
  for (const auto& [key, value] : object.items()) fields.any(key);
}

/// The stamp as the schema orders it, nine digits UTC, whatever the sender's spelling.
std::string stamp(Fields& fields, Text key) {
  const auto time = parse_rfc3339(fields.text(key));
  if (!time) fields.refuse(key, "must be an RFC 3339 time");
  return time ? to_rfc3339(*time) : std::string{};
}

struct Id {
  std::string machine;
  std::string store;
  std::int64_t seq = 0;
};

/// "<machine>:<store>:<seq>".
std::optional<Id> parse_id(Text text) {
  const auto first = text.find(':');
  const auto second = text.find(':', first == Text::npos ? first : first + 1);
  if (second == Text::npos) return std::nullopt;
  const auto digits = text.substr(second + 1);
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != Text::npos) {
    return std::nullopt;
  }
  return Id{std::string{text.substr(0, first)}, std::string{text.substr(first + 1, second - first - 1)},
            std::stoll(std::string{digits})};
}

/// What an event says the container now is; empty for one that does not change it.
Text state_after(Text kind) {
  if (kind == "created") return "created";
  if (kind == "started") return "running";
  if (kind == "died" || kind == "stopped" || kind == "removed") return "exited";
  return {};
}

struct Event {
  Id id;
  std::string text, machine, kind, at, name, image;
  Maybe container, assignment;
};

Result<Event> parse_event(const Json& document) {
  Fields f{document, "event"};
  Event event;
  event.text = f.text("id");
  event.machine = f.text("machine");
  event.kind = f.one_of("kind", {"created", "started", "stopped", "died", "removed", "health", "gap"}, "");
  event.at = stamp(f, "at");
  event.container = f.maybe_text("container");
  event.name = f.text("name", "");
  event.image = f.text("image", "");
  event.assignment = f.maybe_text("assignment");
  const auto id = parse_id(event.text);
  if (!id || id->machine != event.machine) f.refuse("id", "must be <machine>:<store>:<seq> of this machine");
  event.id = id.value_or(Id{});
  let_others_be(f, document);
  TRY(f.finish());
  return event;
}

Status note_container(Store& store, const Event& event) {
  const auto state = state_after(event.kind);
  if (state.empty() || !event.container) return {};
  const Maybe started = event.kind == "started" ? Maybe{event.at} : std::nullopt;
  const Maybe gone = event.kind == "removed" ? Maybe{event.at} : std::nullopt;
  TRY(store.run(kContainerChanged, event.machine, *event.container, event.name, event.image, state, event.assignment,
                started, event.at, gone));
  return {};
}

/// The machine and what it published, by the shape every issued subject has (contract, section 6).
struct Source {
  std::string machine;
  bool is_report;
};

std::optional<Source> source_of(Text subject) {
  std::vector<Text> tokens;
  for (;;) {
    const auto dot = subject.find('.');
    tokens.push_back(subject.substr(0, dot));
    if (dot == Text::npos) break;
    subject.remove_prefix(dot + 1);
  }
  if (tokens.size() == 4 && tokens[2] == "host" && tokens[3] == "report") return Source{std::string{tokens[1]}, true};
  if (tokens.size() == 5 && tokens[3] == "event") return Source{std::string{tokens[1]}, false};
  return std::nullopt;
}

}  // namespace

Result<Ingested> ingest_report(Store& store, const Json& report) {
  if (report.is_object() && report.contains("whole") && report.contains("part"))
    return fail(Errc::bad_request, "part " + report["part"].dump() + " of report " + report["whole"].dump() +
                                       " cannot be taken: other parts of it are lost");
  Fields f{report, "report"};
  const auto machine = f.text("machine");
  const auto from = f.text("store");
  const auto seq = f.integer("seq", 0, INT64_MAX);
  const auto at = stamp(f, "at");
  const auto push_id = f.maybe_text("push_id");
  const auto result = f.one_of("result", {"converged", "unchanged", "refused", "failed"}, "");
  const auto path = f.one_of("path", {"holder", "cli", "none"}, "");
  const auto version = f.text("host_version");
  const auto cli_path = f.one_of("cli_path", {"present", "absent"}, "");
  let_others_be(f, report);
  TRY(f.finish());
  std::int64_t rows = 0;
  TRY(store.transaction([&]() -> Status {
    rows = TRY(store.run(kReportReceived, machine, from, seq, at, push_id, result, path, version, cli_path, report.dump()));
    if (rows > 0) TRY(store.run(kMachineReported, machine, version, cli_path, at));
    return {};
  }));
  return rows > 0 ? Ingested::fresh : Ingested::known;
}

Result<Ingested> ingest_event(Store& store, const Json& document) {
  const auto event = TRY(parse_event(document));
  std::int64_t rows = 0;
  TRY(store.transaction([&]() -> Status {
    rows = TRY(store.run(kEventReceived, event.text, event.machine, event.id.seq, event.kind, event.at, event.container,
                         document.dump()));
    return rows > 0 ? note_container(store, event) : Status{};
  }));
  return rows > 0 ? Ingested::fresh : Ingested::known;
}

Result<Ingested> ingest_message(Store& store, Text subject, Text data) {
  const auto source = source_of(subject);
  if (!source) return fail(Errc::bad_request, "nothing is ingested from subject " + std::string{subject});
  const auto document = TRY(parse_json(data, "the message on " + std::string{subject}));
  if (document.is_object() && document.contains("machine") && document["machine"] != source->machine) {
    return fail(Errc::not_granted, "the message on " + std::string{subject} + " speaks for machine " +
                                       document["machine"].dump());
  }
  return source->is_report ? ingest_report(store, document) : ingest_event(store, document);
}

}  // namespace berth::store
