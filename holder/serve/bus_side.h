#pragma once
#include <memory>

#include "base/guarded.h"
#include "bus/bus.h"
#include "holder/events/asked_ends.h"
#include "holder/events/events.h"
#include "holder/serve/bus_face.h"
#include "holder/serve/holder_config.h"
#include "holder/serve/seat_file.h"

namespace berth::holder::serve {

/// All that faces the fleet: the connection, the events, the verbs on the bus, and the seat file that says
/// which of it is in force. Without a `bus` in the configuration events are recorded all the same. Owned by
/// main; `dispatcher` and `asked` outlive it.
class BusSide {
 public:
  static Result<std::unique_ptr<BusSide>> start(const HolderConfig& config, verbs::Dispatcher& dispatcher,
                                                events::AskedEnds& asked, const Clock& clock, Seam& seam);
  ~BusSide();

  events::Events& events() { return *events_; }

 private:
  BusSide() = default;
  void bus_changed(bool connected, const std::string& why);
  bool take_seat(const SeatFile& seat, verbs::Dispatcher& dispatcher);

  Guarded<events::Events*> told_of_bus_{nullptr};
  bool whole_ = true;  // the seat, as it was last taken
  std::unique_ptr<bus::Bus> bus_;
  std::unique_ptr<events::Events> events_;
  std::unique_ptr<BusFace> face_;
  std::unique_ptr<SeatWatch> watch_;
};

}  // namespace berth::holder::serve
