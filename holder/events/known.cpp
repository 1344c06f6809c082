#include "holder/events/known.h"

namespace berth::holder::events {

Known known_from(const engine::Summary& summary) {
  Known known;
  known.id = summary.id;
  known.name = summary.name;
  known.image = summary.image;
  known.assignment = summary.assignment;
  known.state = summary.state;
  known.started_at = summary.started_at;
  known.restarts = summary.restarts.value_or(0);
  known.label_exit_code = summary.labels.contains("exitCode");
  known.label_signal = summary.labels.contains("signal");
  return known;
}

}  // namespace berth::holder::events
