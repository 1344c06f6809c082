#include "host/resources/engine_confirm.h"

#include <algorithm>

#include "host/resources/engine_keys.h"
#include "host/resources/units.h"

namespace berth::host::resources {
namespace {

constexpr std::chrono::milliseconds kPause{100};
constexpr int kAsks = 80;  // with the pause between: eight seconds, and an engine reloads in well under one

/// The default 127.0.0.0/8 is the engine's own: it is never listed, and always trusted.
bool is_own_loopback(const std::string& registry) { return registry == "127.0.0.0/8" || registry == "::1/128"; }

bool trusts(const path::EngineView& view, const std::string& registry) {
  const auto wanted = normal_registry(registry);
  return is_own_loopback(wanted) || std::ranges::any_of(view.insecure_registries, [&](const std::string& one) {
           return normal_registry(one) == wanted;
         });
}

bool holds_gone(const path::EngineView& view, const std::string& registry, const EngineExpectation& expect) {
  const auto wanted = normal_registry(registry);
  const bool also_kept = std::ranges::any_of(expect.registries, [&](const auto& r) { return normal_registry(r) == wanted; });
  return !also_kept && !is_own_loopback(wanted) && trusts(view, registry);
}

/// The engine's own words: the last error line that speaks of its configuration, as dockerd writes it.
std::string reason_in(std::string_view journal) {
  std::string reason;
  while (!journal.empty()) {
    const auto line = journal.substr(0, journal.find('\n'));
    journal.remove_prefix(std::min(journal.size(), line.size() + 1));
    const auto at = line.find("msg=\"");
    const bool speaks = line.find("unable to configure") != std::string_view::npos ||
                        line.find("Error reconfiguring") != std::string_view::npos;
    if (speaks && at != std::string_view::npos) reason = line.substr(at + 5, line.rfind('"') - at - 5);
  }
  return reason;
}

Error refused(bool event, const std::vector<std::string>& keys, const std::string& journal) {
  std::string detail = event ? "the engine reloaded its file but has not taken" : "the engine did not reload its file";
  if (!event && !keys.empty()) detail += ": it emitted no reload event and has not taken";
  else if (!event) detail += ": it emitted no reload event";
  for (const auto& key : keys) detail += (key == keys.front() ? " " : ", ") + key;
  if (const auto reason = reason_in(journal); !reason.empty()) detail += "; it said: " + reason;
  auto error = fail(Errc::engine_refused, std::move(detail));
  error.fields = keys;
  return error;
}

}  // namespace

std::vector<std::string> keys_not_taken(const EngineExpectation& expect, const path::EngineView& view) {
  std::vector<std::string> keys;
  if (expect.live_restore && *expect.live_restore != view.live_restore) keys.emplace_back("live-restore");
  const bool all = std::ranges::all_of(expect.registries, [&](const auto& r) { return trusts(view, r); });
  const bool none = std::ranges::none_of(expect.registries_gone, [&](const auto& r) { return holds_gone(view, r, expect); });
  if (!all || !none) keys.emplace_back("insecure-registries");
  return keys;
}

Status reload_and_confirm(World& world, const EngineExpectation& expect) {
  if (world.path == nullptr) return fail(Errc::engine_unreachable, "nothing reaches the engine, so no reload can be confirmed");
  const auto since = world.clock.now();
  TRY(world.units.reload(world.engine_unit));
  for (int asked = 0; asked < kAsks; ++asked) {
    if (TRY(world.path->reloaded_since(since))) {
      const auto keys = keys_not_taken(expect, TRY(world.path->engine()));  // the event comes when all is taken
      return keys.empty() ? Status{} : refused(true, keys, world.units.journal_since(world.engine_unit, since));
    }
    world.pause(kPause);
  }
  return refused(false, keys_not_taken(expect, TRY(world.path->engine())),
                 world.units.journal_since(world.engine_unit, since));
}

}  // namespace berth::host::resources
