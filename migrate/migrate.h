#pragma once
// The migration runner's whole face, for the command line.
#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "base/seam.h"
#include "migrate/fleet_document.h"
#include "migrate/port.h"
#include "store/store.h"

namespace berth::migrate {

/// What a person asked for.
struct Options {
  std::string runner;                 // who runs: "operator@desk"
  std::string program = "unknown";    // the version of berth that runs
  int to_step = 5;                    // run: the last step; back-out: the step to undo
  std::vector<std::string> machines;  // empty: every machine of the document
};

/// How long the runner waits for what.
struct Waits {
  std::chrono::milliseconds poll{300};         // between two looks
  std::chrono::milliseconds patience{10'000};  // for a machine that does not answer a question
  std::chrono::milliseconds push{900'000};     // for a push to end on the machine
  std::chrono::milliseconds event{30'000};     // for an event or a report to come by
  std::chrono::seconds release{180};           // for a new host to prove itself; its watch gets as long
};

/// What a runner works in. The store is the operator's, opened by the caller.
struct Site {
  store::Store& store;
  Port& port;
  const Clock& clock;
  Seam& seam;
  Waits waits = {};
};

/// Told what happens while it happens, one call at a time, from the runner's threads. The command line
/// renders it: a bar a step and a line a machine on a terminal, plain lines otherwise.
class Observer {
 public:
  virtual ~Observer() = default;
  /// `total` machines have this step before them.
  virtual void step_begins(int step, std::string_view name, std::size_t total) = 0;
  /// A machine does something: "gate", "act", "proof", or a wait and what for.
  virtual void machine_does(int step, std::string_view machine, std::string_view what) = 0;
  /// A machine has ended the step: done, failed, backed_out, running (handed over to the next run).
  virtual void machine_ended(int step, std::string_view machine, std::string_view state,
                             std::string_view detail) = 0;
  virtual void step_ended(int step, std::size_t done, std::size_t total) = 0;
  /// Something a person should read: a takeover of the lease, a changed fleet document.
  virtual void notice(std::string_view text) = 0;
};

/// What came of it, for people and for machines. `refused`: a rule stopped it and nothing was changed by that
/// (the gate of step 5, an undecided difference); exit status 3. `failed`: a machine failed; 1.
struct Outcome {
  Json document;
  std::string text;
  /// `silent`: nothing failed and no rule refused; somebody did not answer.
  enum class Kind { done, failed, refused, silent, stopped } kind = Kind::done;
};

/// Per machine what each step would do, the exact difference of the engine's file, and what is undecided as
/// lines for the fleet document. Asks the machines, changes nothing: neither them nor the store.
Result<Outcome> plan(const FleetDocument& fleet, const Options& options, Site& site);

/// Carries the migration on from wherever it is. `stop` is looked at between machines and in every wait: what
/// was asked of a machine goes on there, and the next run records what came of it. Errc::stale names the
/// runner that holds this store or the fleet: nothing was changed by the one that came second.
Result<Outcome> run(const FleetDocument& fleet, const Options& options, Site& site, Observer& observer,
                    std::stop_token stop);

/// One screen from the store alone: step, machines done, running, failed, set aside, and what a person does
/// next.
Result<Outcome> status(const FleetDocument& fleet, store::Store& store);

/// Everything the store knows of the newest migration, for whoever was not there (docs/formats.md): per machine
/// its time line, every attempt, the proofs, the file's difference, restarts and versions. From the store
/// alone. Errc::not_found when none has begun.
Result<Json> report(const FleetDocument& fleet, store::Store& store, std::string_view program);
/// The same for people: one HTML page that needs nothing beside itself.
std::string report_page(const Json& report);

/// Undoes step `to_step` on the machines named, where it is the highest done one.
Result<Outcome> back_out(const FleetDocument& fleet, const Options& options, Site& site, Observer& observer,
                         std::stop_token stop);

/// What a store is made anew in: there is none yet.
struct Ground {
  Port& port;
  const Clock& clock;
  Seam& seam;
  Waits waits = {};
};

/// What came of a rebuild. `silent`: it was refused for machines that do not answer, and for nothing else.
struct Rebuilt {
  Outcome outcome;
  bool silent = false;
};

/// Makes a lost operator store anew at `path` from the fleet document, every machine's own memory and the streams: whole
/// or not at all, and what cannot be made again is named. Refused where a store with anything in it is, and while a
/// machine cannot be asked or is between two states, unless `options.machines` names it: then it is set aside.
/// Claims the fleet's lease, so that no runner goes on from another store meanwhile.
Result<Rebuilt> rebuild(const FleetDocument& fleet, const Options& options, const std::filesystem::path& path, const Ground& ground,
                        Observer& observer, const std::stop_token& stop);

/// Takes a machine out of the migration, with the reason, and in again.
Status set_aside(const FleetDocument& fleet, std::string_view machine, std::string_view reason,
                 store::Store& store);
Status bring_in(const FleetDocument& fleet, std::string_view machine, store::Store& store);

/// The runner's lock beside the store, taken by run and back_out. Errc::stale says who holds it.
std::filesystem::path lock_path(const std::filesystem::path& store);

}  // namespace berth::migrate
