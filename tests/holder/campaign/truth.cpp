#include "tests/holder/campaign/truth.h"

#include <algorithm>

namespace berth::test::campaign {
namespace {

using namespace std::chrono_literals;

std::string joined(const std::vector<std::string>& kinds, bool with_stopped) {
  std::string text;
  for (const auto& kind : kinds) {
    if (kind == "health" || kind == "gap" || (kind == "stopped" && !with_stopped)) continue;
    text += (text.empty() ? "" : " ") + kind;
  }
  return text;
}

bool in_a_gap(const Life& life, const std::vector<Heard>& gaps) {
  return std::ranges::any_of(
      gaps, [&](const Heard& gap) { return gap.from <= life.to + 1s && gap.to >= life.from - 1s; });
}

bool in_one_gap_whole(const Life& life, const std::vector<Heard>& gaps) {
  return std::ranges::any_of(
      gaps, [&](const Heard& gap) { return gap.from <= life.from + 1s && gap.to >= life.to - 1s; });
}

}  // namespace

std::string kinds_of(const std::vector<Heard>& events, bool with_stopped) {
  std::vector<std::string> kinds;
  for (const auto& event : events) kinds.push_back(event.kind);
  return joined(kinds, with_stopped);
}

std::string broken_rule(const std::vector<Heard>& events) {
  std::string before;
  for (const auto& [kind, id, seq, code, inferred, from, to] : events) {
    if (kind == "health" || kind == "gap") continue;
    if (before == "removed") return kind + " after removed";
    if (kind == "created" && !before.empty()) return "created after " + before;
    if (kind != "created" && before.empty()) return kind + " before created";
    if (kind == "started" && before == "started") return "started twice";
    if (kind == "died" && before != "started" && before != "created") return "died after " + before;
    if (kind == "stopped" && before != "died") return "stopped after " + before;
    if (kind == "removed" && before == "started") return "removed while it runs";
    before = kind;
  }
  return "";
}

std::string left_as(const std::vector<Heard>& events) {
  std::string last;
  for (const auto& event : events) {
    if (event.kind != "health" && event.kind != "gap" && event.kind != "stopped") last = event.kind;
  }
  if (last.empty()) return "unheard of";
  if (last == "removed") return "gone";
  return last == "created" ? "created" : last == "started" ? "running" : "exited";
}

std::string disagreement(const Life& life, const std::vector<Heard>& events, const std::vector<Heard>& gaps,
                         bool says_asked_ends) {
  if (auto broken = broken_rule(events); !broken.empty()) return broken;
  const auto left = left_as(events);
  // What began and ended within one gap is in no list that could be compared.
  if (left == "unheard of" && life.ends_as.empty() && in_one_gap_whole(life, gaps)) return "";
  const auto wanted = life.ends_as.empty() ? std::string{"gone"} : life.ends_as;
  if (left != wanted) return "the stream leaves it " + left + ", and it is " + wanted;
  if (!life.whole || in_a_gap(life, gaps)) return "";
  const bool guessed = std::ranges::any_of(events, &Heard::inferred);
  const bool with_stopped = says_asked_ends && !guessed;
  const auto told = kinds_of(events, with_stopped), all = joined(life.kinds, with_stopped);
  if (told != all) return "told \"" + told + "\", and it was \"" + all + "\"";
  const auto end = std::ranges::find(events.rbegin(), events.rend(), std::string{"died"}, &Heard::kind);
  if (end == events.rend() || !life.exit_code || !end->exit_code || end->exit_code == life.exit_code)
    return "";
  return "told exit code " + std::to_string(*end->exit_code) + ", and it was " +
         std::to_string(*life.exit_code);
}

std::string broken_numbers(const std::vector<Heard>& events) {
  std::vector<std::int64_t> numbers;
  for (const auto& event : events) numbers.push_back(event.seq);
  std::ranges::sort(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto wanted = static_cast<std::int64_t>(i) + 1;
    if (numbers[i] == wanted) continue;
    return (numbers[i] < wanted ? "twice: number " : "missing: number ") +
           std::to_string(std::min(numbers[i], wanted));
  }
  return "";
}

}  // namespace berth::test::campaign
