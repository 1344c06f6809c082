#pragma once
#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/guarded.h"
#include "base/json.h"
#include "base/result.h"
#include "catalogue/compose.h"
#include "migrate/lease.h"
#include "migrate/ledger.h"
#include "migrate/migrate.h"

namespace berth::migrate {

/// The operator's store and this migration's rows in it: one thread at a time, no question to a machine
/// inside.
struct Books {
  store::Store& store;
  Ledger ledger;
};

/// One run of the runner: what its steps work in. Shared by its threads.
class Scene {
 public:
  Scene(const FleetDocument& fleet, Site& site, Observer& observer, std::stop_token stop, Lease lease,
        Ledger ledger)
      : fleet(fleet),
        lease(std::move(lease)),
        stop(std::move(stop)),
        waits(site.waits),
        port(site.port),
        books(Books{site.store, std::move(ledger)}),
        observer_(observer) {}

  const FleetDocument& fleet;
  const Lease lease;
  const std::stop_token stop;
  const Waits waits;
  Port& port;
  Guarded<Books> books;

  void says(int step, std::string_view machine, std::string_view what);
  void tell(const std::function<void(Observer&)>& what);

  /// Asks until the machine answers, at most `waits.patience`, or a stop is asked for.
  Result<Json> ask(std::string_view machine, const Json& request);
  /// Waits between two looks; false when a stop was asked for. The first waits are short, `look` counts them,
  /// and grow to `waits.poll`: most things end at once, and a fleet is many of them.
  bool pause(int look);

 private:
  Guarded<std::monostate> telling_;
  Observer& observer_;
};

/// One step of one machine while it runs.
struct Work {
  int step = 0;
  std::string machine;
  std::string push_id;
  Json found = Json::object();   // what the gate found; durable with the intent, so a resumed run has it
  std::vector<Intended> pushes;  // composed by `intend`, written with the intent
};

/// A machine as it is now, checked to be the one the fleet document means: its name and machine-id together.
Result<Json> status_of(Scene& scene, std::string_view machine);
Result<Json> snapshot_of(Scene& scene, std::string_view machine);

// The same, for who has no migration yet.
Result<Json> ask_patiently(Port& port, const Waits& waits, const std::stop_token& stop, std::string_view machine,
                           const Json& request);
bool pause_between(const Waits& waits, const std::stop_token& stop, int look);
/// Errc::drift unless the status is that of the machine which the fleet document means.
Status check_identity(const FleetDocument& fleet, std::string_view machine, const Json& status);
/// Errc::failed naming what a snapshot lacks.
Status check_snapshot(std::string_view machine, const Json& snapshot);

/// Whether an error says that nothing is known of what came of an act: the row stays running.
bool is_silence(const Error& error);

}  // namespace berth::migrate
