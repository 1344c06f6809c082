#pragma once
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/seam.h"
#include "bus/bus.h"
#include "holder/events/feed.h"
#include "holder/events/keeper.h"
#include "holder/events/reader.h"
#include "store/store.h"

namespace berth::holder::events {

class Publisher;

struct EventsConfig {
  std::string machine;
  std::filesystem::path store;  // the holder's; opened here, a connection a thread
  OpenEngine open_engine;
  std::size_t queue = 8192;  // raw events between reader and keeper
  EngineState engine_state = {};
  KeeperTrouble trouble = {};
  AskedFor asked_for = {};  // whether the holder asked for an end; on the keeper's thread
};

/// The machine's events, from the engine's stream to the store and the bus. Owned by main; three threads of
/// its own (docs/threads.md), which end with it. Neither the engine nor the bus needs to be there.
class Events {
 public:
  /// `bus` may be null: then events are recorded and listened to, and wait in the outbox. It outlives this.
  static Result<std::unique_ptr<Events>> start(EventsConfig config, bus::Bus* bus, const Clock& clock,
                                               Seam& seam);
  ~Events();

  /// The seat file's `event` subjects by kind; empty while the seat is not held.
  void set_subjects(Subjects subjects);
  /// GET /v1/events: every event from now on.
  Feed::Listener listen(Feed::Sink sink) { return feed_.listen(std::move(sink)); }
  /// The bus is back: the outbox need not wait for its next try.
  void bus_is_back();

 private:
  Events(EventsConfig config, Ledger ledger, std::unique_ptr<Publisher> publisher, const Clock& clock);

  Feed feed_;
  Intake intake_;
  Guarded<std::optional<Time>> resume_from_;
  std::unique_ptr<Publisher> publisher_;
  Keeper keeper_;
  Reader reader_;
  std::jthread publishing_, keeping_, reading_;
};

}  // namespace berth::holder::events
