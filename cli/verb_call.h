#pragma once
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "bus/bus.h"
#include "store/store.h"

namespace berth::cli {

/// One verb of one machine as this caller may ask it: the subject is the issued one with the caller's name in
/// its last place.
struct IssuedVerb {
  std::string machine;
  std::string cls;  // read, act
  std::string verb;
  std::string subject;
};

/// What the catalogue issued. A tool's name (docker_stop) is its verb. Errc::not_found for a machine that is
/// not in the store, Errc::seat_unheld where nobody holds the seat, Errc::unknown_verb for what is not served.
Result<IssuedVerb> issued_verb(store::Store& store, std::string_view machine, std::string_view verb,
                               std::string_view caller);

/// Asks the holder and waits. A problem document it answers is that error. Any thread.
Result<Json> ask(bus::Bus& bus, const IssuedVerb& verb, const Json& params);

/// Parameters as typed on a command line: key=value with value as text, or as what it says it is where it can
/// only be a number or true/false; key:=JSON for anything else. Errc::bad_request names the word.
Result<Json> parse_params(const std::vector<std::string>& words);

}  // namespace berth::cli
