#include "holder/events/normalise.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth::holder::events {
namespace {

using engine::RawEvent;

/// A signal sent longer ago than this is not what ended a container, unless the engine says `stop` itself.
constexpr std::chrono::seconds kSignalReach{30};

std::string attribute(const RawEvent& event, const char* key) {
  const auto found = event.attributes.find(key);
  return found == event.attributes.end() ? std::string{} : found->second;
}

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

constexpr std::pair<std::string_view, std::string_view> kSignals[] = {
    {"1", "HUP"},  {"2", "INT"},   {"3", "QUIT"},  {"6", "ABRT"},
    {"9", "KILL"}, {"10", "USR1"}, {"12", "USR2"}, {"15", "TERM"}};

std::string signal_name(const std::string& said) {
  const auto* row = std::ranges::find(kSignals, said, &std::pair<std::string_view, std::string_view>::first);
  if (row != std::end(kSignals)) return std::string{row->second};
  return said.starts_with("SIG") ? said.substr(3) : said;
}

/// Signals that programs use to be told something, not to end.
bool is_a_message(const std::string& signal) {
  return signal == "HUP" || signal == "USR1" || signal == "USR2" || signal == "28" || signal == "WINCH";
}

void read_identity(const RawEvent& event, Known& known) {
  known.id = event.id;
  if (const auto name = attribute(event, "name"); !name.empty()) known.name = name;
  if (const auto image = attribute(event, "image"); !image.empty()) known.image = image;
  known.assignment =
      attribute(event, "mesh-host.id");  // labels are in every event, and no engine says this itself
}

/// create and start carry neither by themselves: what is there is a label, and would spoil the end's own.
void read_misleading_labels(const RawEvent& event, Known& known) {
  known.label_exit_code = event.attributes.contains("exitCode");
  known.label_signal = event.attributes.contains("signal");
}

}  // namespace

std::pair<std::string, std::string> split_action(const std::string& action) {
  const auto colon = action.find(": ");
  if (colon == std::string::npos) return {action, {}};
  return {action.substr(0, colon), action.substr(colon + 2)};
}

Happening about(const Known& known, std::string kind, Time at) {
  Happening happening;
  happening.kind = std::move(kind);
  happening.at = at;
  happening.container = known.id;
  happening.name = known.name;
  happening.image = known.image;
  happening.assignment = known.assignment;
  return happening;
}

std::optional<int> Normaliser::exit_code(const RawEvent& event, const Known& known) const {
  // Podman writes its own over the label; Docker lets the label win.
  if (kind_ == engine::Kind::docker && known.label_exit_code) return exit_code_of_(event.id, event.at);
  return number_in(attribute(event, "exitCode"));
}

Normaliser::Told Normaliser::created(const RawEvent& event, World& world) const {
  if (world.contains(event.id)) return {};
  auto& known = world[event.id];
  read_identity(event, known);
  read_misleading_labels(event, known);
  known.state = "created";
  return {about(known, "created", event.at)};
}

Normaliser::Told Normaliser::started(const RawEvent& event, Known& known) const {
  read_misleading_labels(event, known);
  if (known.runs() && known.start_inferred) {  // nothing starts twice without an end between
    known.start_inferred = false;
    return {};
  }
  known.start_inferred = known.end_inferred = false;
  known.state = "running";
  known.started_at = to_rfc3339(event.at);
  known.asked.reset();
  known.oom = false;
  known.stopped_told = false;
  return {about(known, "started", event.at)};
}

Normaliser::Told Normaliser::died(const RawEvent& event, Known& known) const {
  const bool told_already = !known.runs() && known.end_inferred;
  known.start_inferred = known.end_inferred = false;
  if (told_already) return {};
  auto end = about(known, "died", event.at);
  end.exit_code = exit_code(event, known);
  end.oom = known.oom;
  known.state = "exited";
  known.stopped_told = false;
  const bool asked = known.asked && event.at - known.asked->at <= kSignalReach;
  if (!asked) return {end};
  end.signal = known.asked->signal;
  known.stopped_told = true;
  return {end, about(known, "stopped", event.at)};
}

/// Docker says it after the end, Podman, when it does, before.
Normaliser::Told Normaliser::stopped(const RawEvent& event, Known& known) const {
  if (known.runs()) {
    known.asked = Known::Asked{known.asked ? known.asked->signal : std::string{}, event.at};
    return {};
  }
  if (known.stopped_told) return {};
  known.stopped_told = true;
  return {about(known, "stopped", event.at)};
}

void Normaliser::asked_to_end(const RawEvent& event, Known& known) const {
  if (!known.runs()) return;  // Podman's `restart` of a crash loop comes between two runs
  const auto signal = known.label_signal ? std::string{} : signal_name(attribute(event, "signal"));
  if (!is_a_message(signal)) known.asked = Known::Asked{signal, event.at};
}

std::vector<Happening> Normaliser::take(const RawEvent& event, World& world) const {
  if (event.type != "container" || event.id.empty()) return {};
  const auto [action, detail] = split_action(event.action);
  if (action == "create") return created(event, world);
  const bool unknown = !world.contains(event.id);
  const bool last = action == "destroy" || action == "remove";
  static constexpr std::string_view kHeard[] = {"start",  "die",     "died",   "stop",
                                                "kill",   "restart", "oom",    "health_status",
                                                "rename", "pause",   "unpause"};
  if (!last && std::ranges::find(kHeard, action) == std::end(kHeard)) return {};
  if (unknown && last) return {};
  auto& known = world[event.id];
  read_identity(event, known);
  if (unknown) known.state = "unknown";
  if (action == "start") return started(event, known);
  if (action == "die" || action == "died") return died(event, known);
  if (action == "stop") return stopped(event, known);
  if (action == "kill" || (action == "restart" && kind_ == engine::Kind::podman)) asked_to_end(event, known);
  if (action == "oom") known.oom = true;
  if (action == "pause") known.state = "paused";
  if (action == "unpause") known.state = "running";
  if (action == "health_status") {
    auto health = about(known, "health", event.at);
    health.health = detail.empty() ? "unknown" : detail;
    return {health};
  }
  if (!last) return {};
  const auto removed = about(known, "removed", event.at);
  world.erase(event.id);
  return {removed};
}

}  // namespace berth::holder::events
