#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/policy/quota.h"
#include "holder/verbs/call.h"
#include "holder/verbs/engine_slot.h"
#include "holder/verbs/facts.h"
#include "holder/verbs/lanes.h"
#include "holder/verbs/recorder.h"
#include "holder/verbs/table.h"
#include "holder/verbs/tally.h"

namespace berth::holder::verbs {

/// The one way in for both faces: finds the verb, checks who may call it, runs it on the live engine, and
/// records every changing call and every refusal. Any number of calls at once, from any thread; a call
/// blocks for as long as the engine takes. Owned by main, outlives both faces.
class Dispatcher {
 public:
  Dispatcher(Facts facts, EngineSlot& engines, Recorder& recorder, const Clock& clock);

  /// The verb's answer, or the error both faces answer with. An act verb that came in on a `read` subject is
  /// the bus face's to refuse: see `refuse`.
  Result<Json> dispatch(const Call& call);
  /// Lines of a container's log as they are written, from `since` on, until stopped or the container ends: the
  /// rest of a `logs` call that was answered. `container` is a full id.
  Status follow(const std::string& container, const std::string& since, std::stop_token stop,
                const std::function<void(engine::LogLine)>& sink);
  /// Records a call that a face refuses by itself, and answers that error.
  Error refuse(const Call& call, Error error);

  /// The seat file as it now is: what is held here, and the grants of bus callers.
  void set_seat(Seat seat);
  /// GET /v1/seat.
  Json seat_document();

  /// Counts a call that a face turned away unread: its line was full.
  void turned_away(Face face) { tally_.add_busy(face); }
  const Tally& tally() const { return tally_; }
  bool engine_is_up() const { return engines_.is_open(); }
  const Facts& facts() const { return facts_; }

 private:
  using Steady = std::chrono::steady_clock;
  Result<Json> judged(const Call& call, const VerbRow& row);
  Result<Json> act(const Call& call, const VerbRow& row);
  Result<Json> run(const Call& call, const VerbRow& row);
  Status admit(const Call& call, const VerbRow& row) const;
  Error refused(const Call& call, Error error, Steady::time_point start);

  const Facts facts_;
  EngineSlot& engines_;
  Recorder& recorder_;
  const Clock& clock_;
  policy::Quota quota_;
  Guarded<std::shared_ptr<const Seat>> seat_;
  Lanes lanes_;
  Tally tally_;
};

}  // namespace berth::holder::verbs
