#pragma once
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "migrate/scene.h"

namespace berth::migrate {

/// What a machine says came of a push: {"push_id", "state", "report", "before", "after"}.
Result<Json> ask_push(Scene& scene, std::string_view machine, std::string_view push_id);

/// Sends a push whose row is in the store, unless the machine has it already, and waits for its end. The
/// token of the runner that sends counts, not that of the one that composed. The machine's answer is the
/// truth: it is kept in the push's row. A silence (is_silence) means that nothing is known; the next run asks
/// again.
Result<Json> carry_push(Scene& scene, int step, const std::string& push_id);

/// The first half: sends it unless the machine has it, and says its state there.
Result<std::string> send_push(Scene& scene, int step, const std::string& push_id);
/// The second, for a push that has ended: keeps what the machine says; an error unless it was applied.
Status push_ended(Scene& scene, const std::string& push_id);

/// The push's row from a composed document.
Intended intended_push(const Json& document);

/// Composes a push from what the machine says now: its sequence goes on from the machine's own.
catalogue::PushOrder order_for(const Scene& scene, std::string_view machine, std::string_view push_id,
                               const Json& status);

}  // namespace berth::migrate
