#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holder/engine/engine.h"
#include "holder/events/happening.h"
#include "holder/events/known.h"
#include "store/store.h"

namespace berth::holder::events {

/// The engine's last own `reload`, which `daemon_config` shows.
struct Reload {
  std::string at;
  std::map<std::string, std::string> attributes;
};

/// The store's side of the events: rows, numbers, cursor, last observations and outbox, all moved in one
/// transaction. One thread; a failed transaction leaves all as it was.
class Ledger {
 public:
  Ledger(store::Store store, std::string machine) : store_(std::move(store)), machine_(std::move(machine)) {}

  store::Store& store() { return store_; }
  Result<World> load_world(std::optional<Time> recent);
  /// Those whose removal was told since then.
  Result<Gone> load_gone(Time since);
  /// How far the engine's stream has been taken in: the time of the newest event.
  Result<std::optional<Time>> cursor();

  /// What one batch changes, besides the happenings.
  struct Batch {
    std::vector<Happening> happenings;
    std::optional<Time> cursor;
    std::optional<engine::RawEvent> reload;
  };
  /// Writes a batch; answers the bodies of the happenings that were new, in order. `subjects` by kind: what
  /// has none is recorded and not queued.
  Result<std::vector<std::string>> write(const Batch& batch, const World& before, const World& after,
                                         const std::map<std::string, std::string>& subjects);
  /// Queues what was recorded while it had no subject. Answers how many.
  Result<std::int64_t> queue_missed(const std::map<std::string, std::string>& subjects);

 private:
  Result<bool> is_recorded(const Happening& happening);
  Result<std::string> record(const Happening& happening, const std::map<std::string, std::string>& subjects);
  Status write_container(const Known& known, const std::string& at);
  Status load_expected(World& world);
  Status write_world(const World& before, const World& after);
  Result<std::int64_t> number(const char* setting);

  store::Store store_;
  const std::string machine_;
};

/// The last reload that a holder's store remembers.
Result<std::optional<Reload>> last_reload(store::Store& store);

}  // namespace berth::holder::events
