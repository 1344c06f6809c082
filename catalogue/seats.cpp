#include "catalogue/seats.h"

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "catalogue/view.h"
#include "schema/queries.h"
#include "schema/seats.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

constexpr store::Query<void(Text, Text, Text, Text)> kSeatPut{schema::queries::seat_put};

/// What of `wanted` is not in `has`, as a list to read.
std::string lacking(const std::vector<std::string>& wanted, const std::vector<std::string>& has) {
  std::string missing;
  for (const auto& name : wanted) {
    if (std::ranges::find(has, name) == has.end()) missing += (missing.empty() ? "" : ", ") + name;
  }
  return missing;
}

}  // namespace

Result<Seat> parse_seat(Text text, Text path) {
  const auto document = TRY(parse_json(text, path));
  Fields f{document, std::string{path} + ": the seat"};
  Seat seat;
  seat.name = f.text("name");
  seat.scope = f.one_of("scope", {"node", "mesh"}, "");
  seat.verbs = f.texts("verbs");
  seat.events = f.texts("events");
  if (seat.scope == "node" && !seat.name.starts_with("node-"))
    f.refuse("name", "of a node's seat must begin node-");
  TRY(f.finish());
  return seat;
}

Result<std::vector<Seat>> shipped_seats() {
  std::vector<Seat> seats;
  for (const auto& file : schema::seats::all_seats()) {
    seats.push_back(TRY(parse_seat(file.text, "schema/seats/" + std::string{file.name} + ".json")));
  }
  return seats;
}

Status check_serves(const Seat& seat, Text claimant, const std::vector<std::string>& verbs,
                    const std::vector<std::string>& events) {
  const auto verb = lacking(seat.verbs, verbs);
  const auto event = lacking(seat.events, events);
  if (verb.empty() && event.empty()) return {};
  const auto what = verb.empty() ? "event " + event : "verb " + verb;
  auto error =
      fail_field(Errc::missing_verb, verb.empty() ? event : verb,
                 std::string{claimant} + " cannot hold the seat " + seat.name + ": it lacks the " + what);
  error.seat = seat.name;
  return error;
}

Status seed_seat(store::Store& store, Text seat) {
  for (const auto& file : schema::seats::all_seats()) {
    const auto parsed = TRY(parse_seat(file.text, file.name));
    if (parsed.name != seat) continue;
    TRY(store.run(kSeatPut, parsed.name, parsed.scope, file.text, store.now()));
    return {};
  }
  return fail_field(Errc::not_found, "seat", "berth ships no seat " + std::string{seat});
}

Result<std::vector<std::string>> candidates(store::Store& store, Text seat) {
  std::vector<std::string> names;
  const auto manifests = TRY(stored_manifests(store));
  for (const auto& [name, manifest] : manifests) {
    if (manifest.claim_of(seat) != nullptr) names.push_back(name);
  }
  return names;
}

}  // namespace berth::catalogue
