#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/clock.h"
#include "holder/engine/engine.h"

namespace berth::holder::events {

/// A container as the events told so far have left it: what the stream's readers believe.
struct Known {
  std::string id, name, image, assignment;
  std::string state;       // the contract's words
  std::string started_at;  // of the newest start told; empty when none was
  std::int64_t restarts = 0;

  // For as long as this process runs. Labels are mixed into an event's attributes, and win over them: until
  // they have been seen, an attribute may be one.
  bool label_exit_code = true, label_signal = true;
  struct Asked {
    std::string signal;
    Time at;
  };
  std::optional<Asked> asked;  // the engine was told to end it
  bool oom = false;
  bool stopped_told = false;  // for its newest end
  // Its newest start was told by a comparison: the raw event that may still come says the same.
  bool start_inferred = false;
  std::optional<Time> compared_at;  // what happened before this, is in what the engine answered
  Time moved_at;                    // its newest event

  bool runs() const { return state == "running" || state == "paused"; }
  bool has_ended() const { return state == "exited" || state == "dead" || state == "restarting"; }
};

/// All of them by id, those that are gone left out. The keeper's thread alone.
using World = std::map<std::string, Known>;

/// When the removal of each was told.
using Gone = std::map<std::string, Time>;

/// What a list or inspect says, as Known.
Known known_from(const engine::Summary& summary);

}  // namespace berth::holder::events
