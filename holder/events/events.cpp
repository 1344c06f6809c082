#include "holder/events/events.h"

#include "holder/events/publisher.h"

namespace berth::holder::events {

Events::Events(EventsConfig config, Ledger ledger, std::unique_ptr<Publisher> publisher, const Clock& clock)
    : intake_(config.queue),
      publisher_(std::move(publisher)),
      keeper_(
          std::move(ledger), intake_, resume_from_, feed_, clock,
          [this] {
            if (publisher_) publisher_->poke();
          },
          config.trouble, config.asked_for),
      reader_(std::move(config.open_engine), intake_, resume_from_, std::move(config.engine_state)) {}

Result<std::unique_ptr<Events>> Events::start(EventsConfig config, bus::Bus* bus, const Clock& clock,
                                              Seam& seam) {
  Ledger ledger{TRY(store::Store::open(config.store, store::Role::holder, clock, seam)), config.machine};
  std::unique_ptr<Publisher> publisher;
  if (bus != nullptr) {
    auto outbox = TRY(store::Store::open(config.store, store::Role::holder, clock, seam));
    publisher = std::make_unique<Publisher>(std::move(outbox), *bus, config.trouble);
  }
  std::unique_ptr<Events> events{
      new Events{std::move(config), std::move(ledger), std::move(publisher), clock}};
  TRY(events->keeper_.load());
  if (events->publisher_)
    events->publishing_ =
        std::jthread{[e = events.get()](std::stop_token stop) { e->publisher_->run(stop); }};
  events->keeping_ = std::jthread{[e = events.get()](std::stop_token stop) { e->keeper_.run(stop); }};
  events->reading_ = std::jthread{[e = events.get()](std::stop_token stop) { e->reader_.run(stop); }};
  return events;
}

Events::~Events() {
  for (auto* thread : {&reading_, &keeping_, &publishing_}) thread->request_stop();
}

void Events::set_subjects(Subjects subjects) { keeper_.set_subjects(std::move(subjects)); }

void Events::bus_is_back() {
  if (publisher_) publisher_->poke();
}

}  // namespace berth::holder::events
