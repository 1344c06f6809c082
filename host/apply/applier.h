#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "host/apply/report.h"
#include "host/apply/run.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::apply {

/// The host's engine: takes pushes, carries them out, gives back what failed whole, finishes what the last
/// process left, and keeps the machine as declared in between. One thread, the store's. Whatever ends it, the
/// next one goes on from the store.
class Applier {
 public:
  Applier(store::Store& store, const Site& site) : store_(store), site_(site) {}

  /// The latch, then every push that was accepted and did not end. Call once, first.
  Status start();
  /// Takes or refuses a push; the answer is durable. Carry it out with `work`.
  Result<Json> take(const Json& body);
  /// Carries out accepted pushes, oldest first; one whose confirmation is awaited stays open.
  Status work();
  /// The apply of the machine's own accord: what failed again, what somebody undid.
  Status again();
  /// Ends the wait of a push with confirm_s.
  Result<Json> confirm(std::string_view push_id);
  /// When an open push must have been confirmed; what waits longer is given back by `work`.
  std::optional<Time> confirm_by() const { return confirm_by_; }
  /// What the last apply had to say, said or not.
  const std::optional<Said>& last_said() const { return last_ran_; }

  /// A foundation bundle: its resources become carried records under their bare ids.
  Result<Json> bootstrap(const Json& body);
  /// Gives back every record of a module, newest declared first.
  Result<Json> give_back_module(std::string_view module);

 private:
  Status work_on(const std::string& push_id);
  Status undo(const Push& push, std::string why);
  Status begin(const Push& push);
  Status end(const Push& push, std::string_view state, Said said);
  Result<Push> push_of(std::string_view push_id);
  Result<path::Opened> open();
  Ran run(Plan plan, path::Opened& opened);
  Said said_of(const Ran& ran, std::string_view push_id, const path::Opened& opened, Time began);
  Result<Json> finish(Plan plan, bool always);
  Result<bool> stands(const PushRow& push);
  bool worth_saying(const Said& said);

  store::Store& store_;
  const Site& site_;
  std::optional<Time> confirm_by_;
  std::optional<Said> last_ran_;
  std::optional<Said> last_said_;
  Time last_said_at_{};
};

}  // namespace berth::host::apply
