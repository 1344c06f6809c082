#pragma once
#include <memory>
#include <set>
#include <string>

#include "base/guarded.h"
#include "bus/bus.h"
#include "holder/serve/discovery.h"
#include "holder/serve/seat_file.h"
#include "holder/serve/work_pool.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// Everybody else's face: the verbs on the subjects that the seat file issues, subscribed one by one. The
/// caller is the subject's last token. A request whose reply is not in the caller's own inbox is dropped and
/// recorded, for an answer there would be the caller's word in the holder's mouth. The library's threads only
/// enqueue; calls run on a pool of workers, and one too many is told `busy`. Owned by main; `bus` and
/// `dispatcher` outlive it; ends its subscriptions first, then waits for the calls that run.
class BusFace {
 public:
  struct Options {
    std::size_t workers = 64;  // at most: they come with the calls
    std::size_t waiting = 64;
    std::size_t most_body = std::size_t{1} << 20;
  };
  BusFace(Options options, bus::Bus& bus, verbs::Dispatcher& dispatcher);
  ~BusFace();

  /// The seat as it now is: subjects that went are withdrawn, new ones subscribed. The grants are the
  /// dispatcher's, told to it before this. False: some could not be subscribed, as before the broker has their
  /// permissions; the same seat again tries those. Any one thread at a time.
  bool set_seat(const SeatFile& seat);

 private:
  void receive(const IssuedVerb& issued, bus::Message message);
  void serve(const IssuedVerb& issued, const std::string& caller, const bus::Message& message);
  Result<Json> answer(const IssuedVerb& issued, const std::string& caller, const bus::Message& message);
  void reply(const bus::Message& request, const Result<Json>& answer);
  std::size_t room() const;

  const Options options_;
  bus::Bus& bus_;
  verbs::Dispatcher& dispatcher_;
  WorkPool pool_;
  Discovery discovery_;
  struct Held {
    IssuedVerb issued;
    bus::Subscription subscription;
  };
  std::map<std::string, Held> held_;  // by subject
  std::set<std::string> missing_;     // wanted, told of, and not subscribed
};

}  // namespace berth::holder::serve
