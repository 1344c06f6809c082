#include "holder/engine/words.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::holder::engine {
namespace {

// Podman's words on the left beside Docker's own. A container that is stopping still runs.
constexpr std::pair<std::string_view, std::string_view> kStates[] = {
    {"created", "created"},       {"configured", "created"}, {"initialized", "created"},
    {"running", "running"},       {"stopping", "running"},   {"paused", "paused"},
    {"restarting", "restarting"}, {"removing", "removing"},  {"exited", "exited"},
    {"stopped", "exited"},        {"dead", "dead"},
};

}  // namespace

std::string state_word(std::string_view engine_state) {
  const auto* row =
      std::ranges::find(kStates, engine_state, &std::pair<std::string_view, std::string_view>::first);
  return std::string{row == std::end(kStates) ? "unknown" : row->second};
}

std::string health_word(std::string_view engine_health) {
  const bool known =
      engine_health == "healthy" || engine_health == "unhealthy" || engine_health == "starting";
  return std::string{known ? engine_health : "none"};
}

std::string health_in_status(std::string_view status) {
  if (status.ends_with("(healthy)")) return "healthy";
  if (status.ends_with("(unhealthy)")) return "unhealthy";
  return status.ends_with("(health: starting)") || status.ends_with("(starting)") ? "starting" : "none";
}

int exit_code_in_status(std::string_view status) {
  if (!status.starts_with("Exited (") && !status.starts_with("Restarting (")) return 0;
  const auto open = status.find('(');
  int code = 0;
  std::from_chars(status.data() + open + 1, status.data() + status.size(), code);
  return code;
}

std::string time_text(std::string_view engine_time) {
  // Year 1 is how the engines say "never"; nanoseconds in 64 bits reach from 1678 to 2261.
  if (engine_time.size() < 5 || engine_time < "1900" || engine_time > "2200") return "";
  const auto time = parse_rfc3339(engine_time);
  return time ? to_rfc3339(*time) : "";
}

std::optional<Time> time_of_seconds(std::int64_t seconds) {
  constexpr std::int64_t kYear2200 = 7'258'118'400;
  if (seconds <= 0 || seconds >= kYear2200) return std::nullopt;
  return Time{std::chrono::seconds{seconds}};
}

std::string seconds_text(std::int64_t seconds) {
  const auto time = time_of_seconds(seconds);
  return time ? to_rfc3339(*time) : "";
}

std::string own_name(const std::vector<std::string>& names) {
  for (const auto& name : names) {
    if (name.find('/') == std::string::npos) return name;
  }
  return names.empty() ? "" : names.front();
}

void read_labels(Summary& summary) {
  const auto label = [&](std::string_view key) {
    const auto found = summary.labels.find(std::string{key});
    return found == summary.labels.end() ? std::string{} : found->second;
  };
  summary.assignment = label(kHeldLabel);
  summary.compose_project = label(kComposeLabel);
}

}  // namespace berth::holder::engine
