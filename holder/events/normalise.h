#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "holder/engine/engine.h"
#include "holder/events/happening.h"
#include "holder/events/known.h"

namespace berth::holder::events {

/// The exit code of an end at `at`, from the container itself; absent when that end is no longer what it
/// shows.
using ExitCodeOf = std::function<std::optional<int>(const std::string& id, Time at)>;

/// Whether the holder itself asked for the end at `at`.
using AskedFor = std::function<bool(const std::string& id, const std::string& name, Time at)>;

/// Turns what one engine says into the contract's kinds and moves the world along: every end is one `died`,
/// and `stopped` follows it when the engine had been asked for the end. What it does not know it leaves out.
class Normaliser {
 public:
  Normaliser(engine::Kind kind, ExitCodeOf exit_code_of, AskedFor asked_for = {})
      : kind_(kind), exit_code_of_(std::move(exit_code_of)), asked_for_(std::move(asked_for)) {}

  /// The happenings of one raw event, in order; none for what is no kind of the contract.
  std::vector<Happening> take(const engine::RawEvent& event, World& world) const;

 private:
  using Told = std::vector<Happening>;
  Told created(const engine::RawEvent& event, World& world) const;
  Told started(const engine::RawEvent& event, Known& known) const;
  Told died(const engine::RawEvent& event, Known& known) const;
  Told stopped(const engine::RawEvent& event, Known& known) const;
  Told removed(const engine::RawEvent& event, World& world) const;
  Told moved(const engine::RawEvent& event, const std::string& action, const std::string& detail,
             Known& known) const;
  void asked_to_end(const engine::RawEvent& event, Known& known) const;
  std::optional<int> exit_code(const engine::RawEvent& event, const Known& known) const;

  engine::Kind kind_;
  ExitCodeOf exit_code_of_;
  AskedFor asked_for_;
};

/// "health_status: healthy" as {"health_status", "healthy"}.
std::pair<std::string, std::string> split_action(const std::string& action);

/// A happening about `known` at `at`.
Happening about(const Known& known, std::string kind, Time at);

}  // namespace berth::holder::events
