#include "holder/events/happening.h"

#include "base/json.h"

namespace berth::holder::events {
namespace {

constexpr std::size_t kMaxText = 512;

/// Cut at a character's beginning.
std::string bounded(const std::string& text) {
  if (text.size() <= kMaxText) return text;
  auto end = kMaxText;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(bounded(text)); }

}  // namespace

Json event_body(const Happening& happening, const std::string& id, const std::string& machine) {
  Json body = {{"id", id}, {"machine", machine}, {"kind", happening.kind}, {"at", to_rfc3339(happening.at)}};
  body["inferred"] = happening.inferred;
  if (happening.kind == "gap") {
    body["from"] = happening.from;
    body["to"] = happening.to;
    body["cause"] = happening.cause;
    body["suppressed"] = happening.suppressed;
    if (happening.container.empty()) return body;
  }
  body["container"] = happening.container;
  body["name"] = bounded(happening.name);
  body["image"] = bounded(happening.image);
  body["mesh_held"] = !happening.assignment.empty();
  body["assignment"] = or_null(happening.assignment);
  if (happening.exit_code) body["exit_code"] = *happening.exit_code;
  if (!happening.signal.empty()) body["signal"] = bounded(happening.signal);
  if (happening.oom) body["oom"] = true;
  if (!happening.health.empty()) body["health"] = bounded(happening.health);
  return body;
}

}  // namespace berth::holder::events
