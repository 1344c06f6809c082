#include "holder/serve/metrics.h"

namespace berth::holder::serve {

std::string metrics_page(const verbs::Dispatcher& dispatcher) {
  std::string page =
      "# HELP berth_holder_calls_total Calls of verbs since the start, on both faces.\n"
      "# TYPE berth_holder_calls_total counter\n";
  for (const auto& [what, count] : dispatcher.counts()) {
    page += "berth_holder_calls_total{verb=\"" + what.first + "\",outcome=\"" + what.second + "\"} " +
            std::to_string(count) + "\n";
  }
  return page;
}

}  // namespace berth::holder::serve
