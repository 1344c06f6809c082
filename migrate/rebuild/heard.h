#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "migrate/migrate.h"

namespace berth::migrate::rebuild_detail {

/// What one machine says of itself and of its past.
struct Heard {
  std::string machine;
  Json status, seat, snapshot;
  Json pushes = Json::array();  // newest first
  Json hand_over;        // of those, the one by which the engine's file is the runtime module's; null: none
  Json carried, before;  // host.ask push and before of it
  Json seat_push;        // the one that brought the seat which is held now; null: none
};

/// One that does not answer, is another than the document means, or is between two states.
struct Unheard {
  std::string machine;
  Error why;
};

/// How the machines are asked.
struct Asking {
  const FleetDocument& fleet;
  Port& port;
  const Waits& waits;
  const std::stop_token& stop;
};

/// Asks everything of one machine; changes nothing there.
Result<Heard> hear(const Asking& asking, const std::string& machine);

/// Errc::stale when the machine has moved on since it was heard.
Status check_still(const Asking& asking, const Heard& heard);

}  // namespace berth::migrate::rebuild_detail
