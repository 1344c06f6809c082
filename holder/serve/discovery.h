#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "bus/bus.h"
#include "holder/serve/seat_file.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// Answers the bus's service discovery (NATS ADR-32), so that ordinary tools list the holder: $SRV.PING, INFO and
/// STATS, each also with the service's name, and with its name and this holder's id. The service is the seat, and
/// an endpoint is a verb that was issued. Answers only into an inbox, for the asker is nobody we know; says
/// nothing that a grant would be needed for. Runs on the library's threads, asks no engine.
class Discovery {
 public:
  Discovery(bus::Bus& bus, const verbs::Dispatcher& dispatcher);
  /// The endpoints as the seat now has them, by subject. While there are none, nothing is answered.
  void set_verbs(const std::map<std::string, IssuedVerb>& verbs);
  const std::string& id() const { return id_; }

 private:
  void listen(const std::string& what);
  void answer(const std::string& what, const bus::Message& request);
  Json document(const std::string& what, const std::map<std::string, IssuedVerb>& verbs) const;

  bus::Bus& bus_;
  const verbs::Dispatcher& dispatcher_;
  const std::string id_, started_;
  Guarded<std::map<std::string, IssuedVerb>> verbs_;
  std::vector<bus::Subscription> subscriptions_;  // last: their handlers use all of the above
};

}  // namespace berth::holder::serve
