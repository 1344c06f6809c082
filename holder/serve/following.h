#pragma once
#include "holder/serve/routes.h"

namespace berth::holder::serve {

/// GET /v1/events: every event from now on, a line each.
Reply follow_events(const Served& served);
/// `logs` with `follow`: what it answers without, a line each, and then every line as it is written. The call
/// itself is the dispatcher's, refusals included.
Reply follow_logs(const Served& served, const verbs::Call& call);

}  // namespace berth::holder::serve
