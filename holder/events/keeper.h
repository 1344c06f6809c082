#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "holder/events/damper.h"
#include "holder/events/feed.h"
#include "holder/events/intake.h"
#include "holder/events/ledger.h"
#include "holder/events/normalise.h"
#include "holder/events/poke.h"

namespace berth::holder::events {

using Subjects = std::map<std::string, std::string>;  // by kind

/// Told that a batch could not be written, or a list not be had: it is tried again.
using KeeperTrouble = std::function<void(const Error& error)>;

/// Makes of raw events what the store remembers and the bus is told: the one thread that writes events. After
/// every connect, and after every gap, compares the live list with what was told so far and tells the rest,
/// marked inferred. What cannot be written now stays and is tried again; meanwhile the intake fills and then
/// counts.
class Keeper {
 public:
  Keeper(Ledger ledger, Intake& intake, Guarded<std::optional<Time>>& resume_from, Feed& feed,
         const Clock& clock, std::function<void()> queued, KeeperTrouble trouble, AskedFor asked_for);

  /// Before the threads begin: where the last run ended. The first run of all begins now.
  Status load();
  void run(std::stop_token stop);

  /// Any thread. What was recorded while it had no subject is queued then.
  void set_subjects(Subjects subjects);

 private:
  struct Step;
  /// An error says that nothing was written, and that all is as before.
  Status step(Intake::Taken& taken);
  void meet(const Intake::Connected& connected);
  void take_in(const std::vector<engine::RawEvent>& events, Step& step);
  Status compare_now(Intake::Taken& taken, Step& step);
  std::set<std::string> unsettled(Time asked) const;
  void note_compared(const std::vector<engine::Summary>& list, const std::set<std::string>& ahead,
                     Time asked);
  void note_gone(const World& before, Time at);
  void settle_held(const Damper::Held& held, Step& step);
  void lost_some(std::int64_t count, Step& step);
  void compare_if_due(Intake::Taken& taken, Step& step);
  Status commit(Step& step);
  Status offer_missed(const Subjects& subjects);
  Happening gap(Time from, Time to, const char* cause, std::int64_t suppressed) const;
  Result<std::vector<engine::Summary>> list_with_times();
  std::optional<int> exit_code_of(const std::string& id, Time at);

  Ledger ledger_;
  Intake& intake_;
  Guarded<std::optional<Time>>& resume_from_;
  Feed& feed_;
  const Clock& clock_;
  std::function<void()> queued_;
  KeeperTrouble trouble_;
  AskedFor asked_for_;
  Damper damper_;
  World world_;
  Gone gone_;  // whose removal is told: what else comes of them, or comes again, is told already
  std::shared_ptr<engine::Engine> engine_;
  Time cursor_;
  struct Pending {
    std::optional<Happening> gap;
    std::chrono::steady_clock::time_point since;       // the connect
    std::chrono::steady_clock::time_point not_before;  // after a try that failed
    int tries = 0;                                     // that found containers which an event had just moved
  };
  std::optional<Pending> comparison_;
  bool fresh_ = false;  // the first run of all: there is nothing that could be missing
  Guarded<Subjects> subjects_;
  Guarded<bool> subjects_changed_{true};
};

}  // namespace berth::holder::events
