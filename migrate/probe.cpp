#include "migrate/probe.h"

#include "base/fields.h"

namespace berth::migrate {
namespace {

/// Takes the probe's events out of what the stream holds.
Status look_for_events(const std::vector<Kept>& kept, const std::string& container, Json& seen) {
  for (const auto& message : kept) {
    const auto event = TRY(parse_json(message.text, "an event"));
    const auto kind = event.value("kind", "");
    if (event.value("container", "") == container && (kind == "created" || kind == "removed"))
      seen[kind] = event.value("id", "");
  }
  return {};
}

}  // namespace

Result<Json> probe(Scene& scene, const std::string& machine) {
  auto made = TRY(scene.ask(machine, {{"what", "probe"}}));
  if (made.value("id", "").empty()) return fail(Errc::failed, machine + "'s probe made no container");
  return made;
}

Result<Json> probe_with_events(Scene& scene, int step, const std::string& machine) {
  auto next = TRY(scene.port.events_end(machine));
  scene.says(step, machine, "probe");
  auto made = TRY(probe(scene, machine));
  const auto deadline = std::chrono::steady_clock::now() + scene.waits.event;
  Json seen = Json::object();
  while (!seen.contains("created") || !seen.contains("removed")) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return fail(Errc::failed, machine + ": of the probe " + made["id"].get<std::string>() + " only " +
                                    seen.dump() +
                                    " came by in the stream of events; created and removed should");
    }
    const auto kept = TRY(scene.port.events(machine, next, scene.waits.poll));
    TRY(look_for_events(kept, made["id"].get<std::string>(), seen));
    if (!kept.empty()) next = kept.back().sequence + 1;
    if (scene.stop.stop_requested())
      return fail(Errc::timeout, "stopped while the probe's events were waited for on " + machine);
  }
  made["events"] = seen;
  return made;
}

Result<NewestReport> newest_report(Scene& scene, const std::string& machine, std::string_view version,
                                   std::uint64_t first_sequence) {
  const auto deadline = std::chrono::steady_clock::now() + scene.waits.event;
  auto next = first_sequence;
  std::optional<NewestReport> newest;
  // An apply that failed, as for an engine that was away, is made again by the host within seconds.
  const auto is_well = [&] {
    return newest && newest->report.value("result", "") != "failed" && newest->report.value("path", "") != "none";
  };
  for (;;) {
    const auto kept =
        TRY(scene.port.reports(machine, next, is_well() ? std::chrono::milliseconds{0} : scene.waits.poll));
    for (const auto& message : kept) {
      const auto report = TRY(parse_json(message.text, machine + "'s report"));
      if (report.value("host_version", "") == version) newest = NewestReport{report, message.sequence + 1};
    }
    if (!kept.empty()) next = kept.back().sequence + 1;
    const bool late = std::chrono::steady_clock::now() >= deadline;
    if (kept.empty() && (is_well() || (newest && late))) return *newest;
    if (!newest && late) {
      return fail(Errc::timeout,
                  "no report of " + machine + "'s host " + std::string{version} + " has arrived");
    }
    if (scene.stop.stop_requested())
      return fail(Errc::timeout, "stopped while a report of " + machine + " was waited for");
  }
}

}  // namespace berth::migrate
