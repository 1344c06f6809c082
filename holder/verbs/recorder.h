#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "store/store.h"

namespace berth::holder::verbs {

/// One row of verb_call.
struct CallRow {
  std::string face, caller, verb, target, outcome, detail;
  std::int64_t duration_ms = 0;
};

/// Every changing call and every refusal, durably. A changing call is written down as begun before it acts,
/// so that a full disk refuses it while nothing is done, and a crash within it leaves a trace which the next
/// start turns into a row of outcome unknown. Any thread; has a store connection of its own.
class Recorder {
 public:
  Recorder(store::Store store, std::string machine)
      : store_id_(store.id()), machine_(std::move(machine)), store_(std::move(store)) {}

  const std::string& store_id() const { return store_id_; }

  /// A begun act, to be ended by `end`.
  struct Begun {
    std::string key;
  };
  Result<Begun> begin(const CallRow& row);
  Status end(const Begun& begun, const CallRow& row);
  /// A refusal: nothing was begun.
  Status refuse(const CallRow& row);
  /// An act that an earlier process began and did not end.
  struct Lost {
    std::string verb, target;  // as the caller named it
    Time began;
  };
  /// Rows for such acts, and which they are.
  Result<std::vector<Lost>> recover();
  /// How often each container was told to have started since then, of those that did `at_least` so often: by id.
  Result<std::map<std::string, std::int64_t>> starts_since(Time from, std::int64_t at_least);

 private:
  Status insert(store::Store& store, const CallRow& row);

  const std::string store_id_;
  const std::string machine_;
  Guarded<store::Store> store_;
};

}  // namespace berth::holder::verbs
