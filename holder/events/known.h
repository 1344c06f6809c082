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

  // For as long as this process runs. Labels are mixed into an event's attributes, and win over them.
  bool label_exit_code = false, label_signal = false;
  struct Asked {
    std::string signal;
    Time at;
  };
  std::optional<Asked> asked;  // the engine was told to end it
  bool oom = false;
  bool stopped_told = false;  // for its newest end
  // Its newest start, or end, was told by a comparison: the raw event that may still come says the same.
  bool start_inferred = false, end_inferred = false;

  bool runs() const { return state == "running" || state == "paused"; }
};

/// All of them by id, those that are gone left out. The keeper's thread alone.
using World = std::map<std::string, Known>;

/// What a list or inspect says, as Known.
Known known_from(const engine::Summary& summary);

}  // namespace berth::holder::events
