#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::catalogue {

inline constexpr std::string_view kRuntimeSeat = "node-container-runtime";

/// A singular role of one machine: the verbs its holder must serve and the events it emits.
struct Seat {
  std::string name;
  std::string scope;  // node, mesh
  std::vector<std::string> verbs;
  std::vector<std::string> events;
};
Result<Seat> parse_seat(std::string_view text, std::string_view path);
/// The seats that ship with berth (schema/seats), parsed.
Result<std::vector<Seat>> shipped_seats();

/// Whether a claimant serves every verb and emits every event of a seat; Errc::missing_verb names what it
/// lacks.
Status check_serves(const Seat& seat, std::string_view claimant, const std::vector<std::string>& verbs,
                    const std::vector<std::string>& events);

/// Who holds a seat on a machine. `socket` is the engine socket its holder stated last.
struct Hold {
  std::string machine;
  std::string seat;
  std::string module;
  std::string socket;
  std::string held_at;
  static Hold from(const store::Columns& c);
};

/// Puts a shipped seat into the store; a second time changes nothing.
Status seed_seat(store::Store& store, std::string_view seat);

/// Records that the module assigned to `machine` which claims the seat holds it, issues the machine's
/// subjects, and from the same transaction on enforces "a container needs the seat held" there. `describe`
/// is the holder's GET /v1/seat answer. Errc::missing_verb names what the claimant does not serve;
/// Errc::conflict when another module holds the seat there. The same holder again only updates the socket.
Status register_holder(store::Store& store, std::string_view machine, std::string_view seat,
                       const Json& describe);

/// The back-out of register_holder: the hold, the machine's subjects of that seat and the enforcement go;
/// the seat itself with its last machine.
Status withdraw(store::Store& store, std::string_view machine, std::string_view seat);

Result<std::vector<Hold>> holds(store::Store& store);  // by machine, seat
Result<std::optional<Hold>> holder_of(store::Store& store, std::string_view machine, std::string_view seat);
Result<bool> is_enforced(store::Store& store, std::string_view machine, std::string_view seat);

/// Modules that could hold a seat: those whose manifest claims it. By name.
Result<std::vector<std::string>> candidates(store::Store& store, std::string_view seat);

/// Assigns or takes away one module. Refused: an unknown module or machine, a lacking capability, and taking
/// away the holder of a seat that the machine's containers need (Errc::seat_unheld, naming them).
Status assign(store::Store& store, std::string_view module, std::string_view machine);
Status unassign(store::Store& store, std::string_view module, std::string_view machine);

/// The third step's proof: what composing answers for this machine's containers once nobody holds the seat
/// there, as a problem document; where none of its assignments delivers one, for one that would. Changes
/// nothing (the hold is taken away in a transaction that is rolled back). An error that is not seat_unheld,
/// or Errc::failed when composing was not refused, is the failure of the proof itself.
Result<Json> unheld_proof(store::Store& store, std::string_view machine, std::string_view seat);

}  // namespace berth::catalogue
