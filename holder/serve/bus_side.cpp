#include "holder/serve/bus_side.h"

#include "base/error.h"
#include "base/log.h"
#include "bus/subjects.h"

namespace berth::holder::serve {
namespace {

bus::BusConfig as_holder(bus::BusConfig config, const std::string& machine) {
  config.name = "berth-holder " + machine;
  config.inbox_prefix = bus::inbox_prefix(config.user.empty() ? "holder-" + machine : config.user);
  return config;
}

void say_engine(bool up, const std::string& why) {
  if (up) return log::info("the engine's events are read");
  log::warn("the engine's events are not read: trying again", {{"why", why}});
}

void say_trouble(const Error& error) { log::warn("events wait", {{"why", to_text(error)}}); }

events::EventsConfig events_config(const HolderConfig& config, events::AskedEnds& asked, Seam& seam) {
  events::EventsConfig events;
  events.machine = config.machine;
  events.store = config.store;
  events.open_engine = [socket = config.engine_socket, kind = config.engine_kind, &seam] {
    return engine::Engine::open(socket, kind, seam);
  };
  events.engine_state = say_engine;
  events.trouble = say_trouble;
  events.asked_for = [&asked](const std::string& id, const std::string& name, Time at) {
    return asked.explain(id, name, at);
  };
  return events;
}

}  // namespace

void BusSide::bus_changed(bool connected, const std::string& why) {
  if (connected)
    log::info("the bus is connected");
  else
    log::warn("the bus is away: the machine goes on, and events wait", {{"why", why}});
  if (!connected) return;
  told_of_bus_.with([](events::Events* events) {
    if (events != nullptr) events->bus_is_back();
  });
}

/// The grants first: a subject is never served under the grants of an earlier seat.
bool BusSide::take_seat(const SeatFile& seat, verbs::Dispatcher& dispatcher) {
  dispatcher.set_seat(seat.seat());
  const bool whole = !face_ || face_->set_seat(seat);
  events_->set_subjects(seat.held ? seat.events : events::Subjects{});
  const bool said = !whole && !whole_;  // that some of it is missing still
  whole_ = whole;
  if (said) return whole;
  log::info("the seat is in force", {{"held", seat.held ? "yes" : "no"},
                                     {"module", seat.module},
                                     {"subjects", std::to_string(seat.verbs.size())},
                                     {"whole", whole ? "yes" : "no"}});
  return whole;
}

Result<std::unique_ptr<BusSide>> BusSide::start(const HolderConfig& config, verbs::Dispatcher& dispatcher,
                                                events::AskedEnds& asked, const Clock& clock, Seam& seam) {
  std::unique_ptr<BusSide> side{new BusSide};
  auto* self = side.get();
  if (config.bus) {
    side->bus_ = bus::Bus::start(
        as_holder(*config.bus, config.machine), seam,
        [self](bool connected, const std::string& why) { self->bus_changed(connected, why); });
  }
  side->events_ =
      TRY(events::Events::start(events_config(config, asked, seam), side->bus_.get(), clock, seam));
  side->told_of_bus_.with([&](auto*& events) { events = self->events_.get(); });
  if (side->bus_) side->face_ = std::make_unique<BusFace>(BusFace::Options{}, *side->bus_, dispatcher);
  side->watch_ = std::make_unique<SeatWatch>(
      config.seat, config.machine,
      [self, &dispatcher](const SeatFile& seat) { return self->take_seat(seat, dispatcher); },
      [](const Error& error) {
        log::error("the seat file is refused: the seat before stays in force", {{"why", to_text(error)}});
      });
  return side;
}

BusSide::~BusSide() {
  watch_.reset();
  face_.reset();
  told_of_bus_.with([](auto*& events) { events = nullptr; });
}

}  // namespace berth::holder::serve
