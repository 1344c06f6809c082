#include "migrate/rebuild/streams.h"

#include "base/fields.h"
#include "migrate/intake.h"
#include "migrate/rebuild/member.h"

namespace berth::migrate::rebuild_detail {
namespace {

/// Reports in their order, each release's first proof kept. Another release in between ends what was.
class Reports {
 public:
  Reports(const FleetDocument& fleet, StreamsSeen& seen)
      : with_holder_(fleet.version("with_holder")), without_cli_(fleet.version("without_cli")), seen_(seen) {}

  void hear(const Json& report, std::uint64_t sequence) {
    if (!report.is_object()) return;
    const auto version = text_in(report, "host_version");
    if (version != with_holder_ && version != without_cli_) seen_.with_holder.reset();
    if (version != without_cli_) seen_.without_cli.reset();
    if (version != runs_) before_ = runs_;
    runs_ = version;
    seen_.newest = report;
    const bool good = text_in(report, "path") == "holder" && text_in(report, "result") == "unchanged";
    if (version == with_holder_) keep(seen_.with_holder, good, report, sequence);
    if (version == without_cli_)
      keep(seen_.without_cli, good && text_in(report, "cli_path") == "absent", report, sequence);
  }

 private:
  void keep(std::optional<ReleaseSeen>& place, bool good, const Json& report, std::uint64_t sequence) {
    if (good && !place) place = ReleaseSeen{report, sequence + 1, before_};
  }

  std::string with_holder_, without_cli_, runs_ = {}, before_ = {};
  StreamsSeen& seen_;
};

/// A probe is made and removed; its two events stand for it.
void hear_event(const Json& event, std::string_view since, Json& made, Json& probe) {
  if (!probe.is_null() || text_in(event, "at") < since || !text_in(event, "name").starts_with("berth-probe-"))
    return;
  const auto kind = text_in(event, "kind");
  const auto id = text_in(event, "container");
  if (kind == "created")
    made = {{"id", id},
            {"name", text_in(event, "name")},
            {"image", text_in(event, "image")},
            {"events", {{"created", text_in(event, "id")}}}};
  if (kind != "removed" || !made.is_object() || text_in(made, "id") != id) return;
  made["events"]["removed"] = text_in(event, "id");
  probe = std::move(made);
  made = nullptr;
}

template <class Read, class Hear>
Result<std::int64_t> every_page(store::Store& store, const std::string& cursor, Ingest ingest, Read read,
                                Hear hear) {
  std::int64_t messages = 0;
  for (std::uint64_t from = 1;;) {
    const auto page = TRY(read(from));
    if (page.empty()) return messages;
    TRY(keep_page(store, cursor, page, ingest));
    for (const auto& message : page) {
      if (const auto document = parse_json(message.text, cursor)) hear(*document, message.sequence);
    }
    messages += static_cast<std::int64_t>(page.size());
    from = page.back().sequence + 1;
  }
}

}  // namespace

Result<StreamsSeen> take_streams(store::Store& store, const FleetDocument& fleet, Port& port,
                                 const std::string& machine, std::string_view seat_since) {
  constexpr std::chrono::milliseconds kNoWait{0};
  StreamsSeen seen;
  Reports reports{fleet, seen};
  seen.reports = TRY(every_page(
      store, reports_cursor(machine), store::ingest_report,
      [&](std::uint64_t from) { return port.reports(machine, from, kNoWait); },
      [&](const Json& report, std::uint64_t sequence) { reports.hear(report, sequence); }));
  Json made;
  seen.events = TRY(every_page(
      store, events_cursor(machine), store::ingest_event,
      [&](std::uint64_t from) { return port.events(machine, from, kNoWait); },
      [&](const Json& event, std::uint64_t) { hear_event(event, seat_since, made, seen.probe); }));
  return seen;
}

}  // namespace berth::migrate::rebuild_detail
