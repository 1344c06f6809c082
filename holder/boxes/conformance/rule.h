#pragma once
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holder/boxes/conformance/world.h"

namespace berth::holder::boxes::conformance {

/// What a rule that holds has to add; or why it was not tried.
struct Note {
  std::string text;
  bool skipped = false;
};
inline Note skip(std::string why) { return {std::move(why), true}; }

/// The boxes of one run: names of their own, and all of them gone at its end.
class Bench {
 public:
  explicit Bench(World& world);

  World& world() { return world_; }
  Runtime& runtime() { return world_.runtime(); }
  BoxSpec spec() { return world_.spec(); }

  /// A box of this run. The same word is the same box.
  BoxId box(const std::string& word);
  LoginId login(const std::string& word);
  /// One that runs.
  Result<BoxId> running(const std::string& word);
  Result<LoginId> running_login();
  /// What a shell script prints there; an error if it does not end with 0.
  Result<std::string> said(const Place& place, const std::string& script);
  Result<RunResult> shell(const Place& place, const std::string& script, RunBounds bounds = {});
  /// This run's objects in the inventory.
  Result<std::vector<Object>> kept();
  /// Removes them all, as the inventory says.
  Status clear();

 private:
  World& world_;
  std::string run_;
};

Status expect(bool holds, std::string otherwise);

struct Rule {
  std::string_view name;  // "state.unknown": what a report is searched for
  std::string_view text;  // the rule, as one sentence
  Result<Note> (*check)(Bench& bench);
};

/// All of them, in the order in which they are tried.
std::vector<Rule> rules();

struct Row {
  enum class Outcome { passed, failed, skipped } outcome = Outcome::passed;
  Rule rule;
  std::string why;
  std::chrono::milliseconds took{0};
};
/// Tries one rule; what the bench had is left for the next.
Row try_rule(const Rule& rule, Bench& bench);

std::span<const Rule> state_rules();
std::span<const Rule> storage_rules();
std::span<const Rule> lifecycle_rules();
std::span<const Rule> process_rules();
std::span<const Rule> stream_rules();
std::span<const Rule> isolation_rules();
std::span<const Rule> keeping_rules();

}  // namespace berth::holder::boxes::conformance
