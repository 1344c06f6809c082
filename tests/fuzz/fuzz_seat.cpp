// The seat file: refused, or every subject in it is this machine's, is a verb's or a kind's, and ends in the caller's
// place; and nobody reaches a changing verb by "*".
#include "base/fields.h"
#include "base/json.h"
#include "holder/serve/seat_file.h"
#include "tests/fuzz/fuzz.h"

namespace berth::fuzz {

using holder::policy::VerbClass;

void take_seat(std::string_view bytes) {
  const auto document = parse_json(bytes, "seat.json");
  if (!document) return;
  const auto seat = holder::serve::SeatFile::parse(*document, "alder");
  if (!seat) {
    must_hold(!seat.error().detail.empty(), "a refusal says why");
    return;
  }
  must_hold(seat->machine == "alder", "a seat of another machine is refused");
  for (const auto& [subject, issued] : seat->verbs) {
    must_hold(subject.ends_with("." + issued.verb + ".*"), "a verb's subject ends in the verb and a place: " + subject);
    must_hold(subject.find('>') == std::string::npos && subject.find('*') == subject.size() - 1, "one place: " + subject);
  }
  for (const auto& [kind, subject] : seat->events) {
    must_hold(subject.find_first_of("*> \t\r\n") == std::string::npos, "an event's subject is one subject: " + subject);
  }
  for (const auto* verb : {"stop", "create", "remove", "prune"}) {
    if (!seat->grants.allows("alice", verb, VerbClass::act)) continue;
    must_hold(bytes.find(verb) != std::string_view::npos || document->dump().find(verb) != std::string::npos,
                    std::string{"a changing verb is granted by its name alone: "} + verb);
  }
}

}  // namespace berth::fuzz
