#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::RawEvent;

std::string attribute(const RawEvent& event, const std::string& key) {
  const auto at = event.attributes.find(key);
  return at == event.attributes.end() ? std::string{} : at->second;
}

Json event_document(const RawEvent& event) {
  Json row = {{"at", to_rfc3339(event.at)}, {"type", event.type}, {"action", event.action}, {"id", event.id}};
  for (const auto* key : {"name", "image", "exitCode", "signal"}) {
    if (const auto value = attribute(event, key); !value.empty()) {
      row[std::string_view{key} == "exitCode" ? "exit_code" : key] = value;
    }
  }
  if (const auto held = attribute(event, "mesh-host.id"); !held.empty()) row["assignment"] = held;
  return row;
}

}  // namespace

Result<Json> events(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto minutes = fields.integer("minutes", 1, 1440, 60);
  TRY(fields.finish());
  const auto now = session.clock.now();
  const auto found = TRY(session.engine.past_events(now - std::chrono::minutes{minutes}, now));
  std::vector<Json> rows;
  std::size_t bytes = 128;
  bool truncated = false;
  for (auto event = found.rbegin(); event != found.rend() && !truncated; ++event) {
    auto row = event_document(*event);
    bytes += row.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
    truncated = bytes > session.max_reply;
    if (!truncated) rows.push_back(std::move(row));
  }
  std::ranges::reverse(rows);
  return Json{{"events", rows}, {"truncated", truncated}};
}

}  // namespace berth::holder::verbs
