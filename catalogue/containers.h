#pragma once
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::catalogue {

/// Who holds the runtime seat on a machine, for judging its containers.
struct SeatState {
  std::string seat;
  bool enforced = false;  // a container needs the seat held here
  bool held = false;
  std::string socket;  // the engine socket the holder stated last; empty when it stated none
  std::vector<std::string> candidates;
};

/// The assignments of a declaration that deliver a container.
std::vector<std::string> containerised(const Json& modules);

/// A container needs the seat held: Errc::seat_unheld naming seat, candidates and assignments. And a
/// container gets an engine's socket only from the seat: a bind of another path, or any such bind where the
/// seat is enforced and unheld, is refused naming both paths.
Status check_containers(const Json& modules, const SeatState& state, const std::string& machine);

/// The refusal itself, for whoever finds a seat unheld.
Error seat_unheld(const SeatState& state, const std::string& machine,
                  const std::vector<std::string>& assignments);

}  // namespace berth::catalogue
