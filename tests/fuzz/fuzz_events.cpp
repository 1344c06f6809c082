// The engine's stream of events: lines cut anywhere, and each line by itself.
#include <set>

#include "holder/engine/event_lines.h"
#include "holder/engine/parse.h"
#include "holder/events/normalise.h"
#include "tests/fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

/// As the intake does, into a world of its own: each happening is one of the contract's kinds.
void normalised(const holder::engine::RawEvent& event) {
  static const std::set<std::string> kKinds = {"created", "started", "stopped", "died", "removed", "health"};
  const auto no_code = [](const std::string&, Time) { return std::optional<int>{}; };
  for (const auto kind : {holder::engine::Kind::docker, holder::engine::Kind::podman}) {
    holder::events::World world;
    for (int twice = 0; twice < 2; ++twice) {
      for (const auto& told : holder::events::Normaliser{kind, no_code}.take(event, world)) {
        must_hold(kKinds.contains(told.kind), "a kind of the contract, not " + told.kind);
      }
    }
  }
}

void read_as_event(std::string_view line) {
  const auto event = holder::engine::parse_event(line);
  if (!event || !*event) return;
  must_hold(!(*event)->type.empty() && !(*event)->action.empty(), "an event has a type and an action");
  must_hold(!(*event)->action.starts_with("exec_"), "no command line is in an event");
  normalised(**event);
}

}  // namespace

void take_events(std::string_view bytes) {
  holder::engine::LineCutter whole, cut;
  std::string together, apart;
  whole.feed(bytes, [&](std::string_view line) { together += std::string{line} + "\n"; });
  in_pieces(bytes, [&](std::string_view piece) {
    cut.feed(piece, [&](std::string_view line) { apart += std::string{line} + "\n"; });
  });
  must_hold(together == apart && whole.rest() == cut.rest(), "lines are the same however they are cut");
  whole.feed("\n", [&](std::string_view line) { together += std::string{line} + "\n"; });
  holder::engine::LineCutter again;
  again.feed(together, read_as_event);
}

}  // namespace berth::fuzz
