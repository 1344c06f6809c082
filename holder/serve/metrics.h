#pragma once
#include <string>

#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// GET /metrics, Prometheus text: the calls since the start, how long they took, what was turned away, the engine,
/// the process.
std::string metrics_page(const verbs::Dispatcher& dispatcher);

}  // namespace berth::holder::serve
