#include "holder/events/normalise.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

namespace berth::holder::events {
namespace {

using engine::RawEvent;

/// A signal sent longer ago than this is not what ended a container, unless the engine says `stop` itself.
constexpr std::chrono::seconds kSignalReach{30};

constexpr std::chrono::seconds kSameStart{5};

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

/// It is in what a comparison has told: the engine was asked later than this happened.
bool is_covered(const RawEvent& event, const Known& known) {
  return known.compared_at && event.at <= *known.compared_at;
}

/// What moves nothing that a comparison has told: a health check's word, or that an end was asked for.
bool is_news_all_the_same(std::string_view action, const Known& known) {
  return action == "health_status" || (action == "stop" && !known.runs());
}

bool is_last(std::string_view action) { return action == "destroy" || action == "remove"; }

bool is_heard(std::string_view action) {
  static constexpr std::string_view kHeard[] = {"start",  "die",     "died",   "stop",
                                                "kill",   "restart", "oom",    "health_status",
                                                "rename", "pause",   "unpause"};
  return is_last(action) || std::ranges::find(kHeard, action) != std::end(kHeard);
}

/// An end that no event told of, and that must have been.
Happening unheard_end(const Known& known, Time at) {
  auto end = about(known, "died", at);
  end.inferred = true;
  return end;
}

/// A start that is told already: an engine's history is asked from the last event on, that one included, and
/// what inspect says of a start is a little earlier than the event of it.
bool is_the_start_of(const Known& known, Time at) {
  const auto started = parse_rfc3339(known.started_at);
  return started && at <= *started + kSameStart;
}

/// What must have been before the first event of a container that nobody has told of.
std::vector<Happening> unheard_beginning(const Known& known, std::string_view action, Time at) {
  std::vector<Happening> told{about(known, "created", at)};
  if (action == "die" || action == "died") told.push_back(about(known, "started", at));
  for (auto& happening : told) happening.inferred = true;
  return told;
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
  known.moved_at = event.at;
  return {about(known, "created", event.at)};
}

Normaliser::Told Normaliser::started(const RawEvent& event, Known& known) const {
  read_misleading_labels(event, known);
  Told told;
  if (known.runs()) {  // nothing starts twice without an end between
    if (std::exchange(known.start_inferred, false) || is_the_start_of(known, event.at)) return {};
    told.push_back(unheard_end(known, event.at));
  }
  known.start_inferred = false;
  known.state = "running";
  known.started_at = to_rfc3339(event.at);
  known.asked.reset();
  known.oom = false;
  known.stopped_told = false;
  told.push_back(about(known, "started", event.at));
  return told;
}

Normaliser::Told Normaliser::died(const RawEvent& event, Known& known) const {
  // Nothing ends twice without a start between; and an end before the newest start told is of the run before.
  if (known.has_ended() || to_rfc3339(event.at) < known.started_at) return {};
  known.start_inferred = false;
  auto end = about(known, "died", event.at);
  end.exit_code = exit_code(event, known);
  end.oom = known.oom;
  known.state = "exited";
  known.stopped_told = false;
  const bool asked = known.asked && event.at - known.asked->at <= kSignalReach;
  if (asked) end.signal = known.asked->signal;
  const bool by_holder = asked_for_ && asked_for_(event.id, known.name, event.at);
  if (!asked && !by_holder) return {end};
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

Normaliser::Told Normaliser::removed(const RawEvent& event, World& world) const {
  const auto& known = world.at(event.id);
  Told told;
  if (known.runs()) told.push_back(unheard_end(known, event.at));
  told.push_back(about(known, "removed", event.at));
  world.erase(event.id);
  return told;
}

Normaliser::Told Normaliser::moved(const RawEvent& event, const std::string& action,
                                   const std::string& detail, Known& known) const {
  if (action == "start") return started(event, known);
  if (action == "die" || action == "died") return died(event, known);
  if (action == "stop") return stopped(event, known);
  if (action == "kill" || (action == "restart" && kind_ == engine::Kind::podman)) asked_to_end(event, known);
  if (action == "oom") known.oom = true;
  if (action == "pause") known.state = "paused";
  if (action == "unpause") known.state = "running";
  if (action != "health_status") return {};
  auto health = about(known, "health", event.at);
  health.health = detail.empty() ? "unknown" : detail;
  return {health};
}

std::vector<Happening> Normaliser::take(const RawEvent& event, World& world) const {
  if (event.type != "container" || event.id.empty()) return {};
  const auto [action, detail] = split_action(event.action);
  if (action == "create") return created(event, world);
  const bool unknown = !world.contains(event.id);
  if (!is_heard(action)) return {};
  auto& known = world[event.id];
  if (is_covered(event, known) && !is_last(action) && !is_news_all_the_same(action, known)) return {};
  read_identity(event, known);
  known.moved_at = std::max(known.moved_at, event.at);
  Told told;
  if (unknown) {
    known.state = "unknown";
    told = unheard_beginning(known, action, event.at);
  }
  auto news = is_last(action) ? removed(event, world) : moved(event, action, detail, known);
  std::ranges::move(news, std::back_inserter(told));
  return told;
}

}  // namespace berth::holder::events
