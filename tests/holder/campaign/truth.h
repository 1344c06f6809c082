#pragma once
// What the stream says of one container against what its engine did with it.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"

namespace berth::test::campaign {

/// An event as a reader of the stream has it.
struct Heard {
  std::string kind, container;
  std::int64_t seq = 0;
  std::optional<int> exit_code;
  bool inferred = false;
  Time from, to;  // of a gap
};

/// One container from its creation to its end, as who drove it knows it.
struct Life {
  std::string id;
  std::vector<std::string> kinds;  // what must be told, in order
  std::optional<int> exit_code;    // of its last end
  std::string ends_as;             // "", gone; else the engine's own word at the end
  bool whole = true;               // everything about it is known: nothing was killed meanwhile that forgets
  Time from, to;
};

/// "created started died", of one container.
std::string kinds_of(const std::vector<Heard>& events, bool with_stopped);

/// The first rule that a container's events break, whatever happened: one creation, ends and starts by turns,
/// `stopped` only after an end, nothing after the removal. Empty when none.
std::string broken_rule(const std::vector<Heard>& events);

/// What the events leave of the container: "gone", "created", "running", "exited", or "unheard of".
std::string left_as(const std::vector<Heard>& events);

/// What is wrong between a life and what was heard of it; empty when they agree.
std::string disagreement(const Life& life, const std::vector<Heard>& events, const std::vector<Heard>& gaps,
                         bool says_asked_ends);

/// What is wrong with the numbers of all events: one missing, or one twice.
std::string broken_numbers(const std::vector<Heard>& events);

}  // namespace berth::test::campaign
