#pragma once
#include <string>

#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// GET /metrics, Prometheus text: the calls since the start by verb and outcome.
std::string metrics_page(const verbs::Dispatcher& dispatcher);

}  // namespace berth::holder::serve
