#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/records.h"
#include "store/store.h"

namespace berth::catalogue {

enum class PushKind { apply, hand_over, back_out };

/// What the runner decides of a push; the rest is composed from the store.
struct PushOrder {
  std::string machine;
  PushKind kind = PushKind::apply;
  std::string push_id = {};   // empty: a new random one
  std::int64_t sequence = 0;  // 0: one more than the highest in the push table for this machine
  std::int64_t token = 0;
  std::string runner = {};
  std::optional<std::string> expect_file = {}, expect_unit = {}, expect_flags = {};  // sha256 each
  std::string restores = {};  // back_out: the push it undoes
  std::int64_t confirm_s = 0;
  /// The broker's machine only: true puts in the permissions as the store says them now; false keeps those
  /// its record has, so that a push about something else never changes who may log in.
  bool new_permissions = false;
};

/// The push document (docs/formats.md) for one machine: every assigned module resolved, the records that are
/// declared by nothing any more as give_back, the seat file when the seat is held there. Refused, with
/// nothing sent: an unknown or unfilled placeholder, a collision, a container where the seat is enforced and
/// unheld, a bind of another engine's socket, half a hand-over (Errc::conflict).
Result<Json> compose(store::Store& store, const PushOrder& order, const std::vector<Record>& now);

/// Whether a push of ours wrote the broker's permissions on this machine already, so that an ordinary push
/// may renew them. The first time is the migration's: it asks for a confirmation over a new log-in.
Result<bool> permissions_were_pushed(store::Store& store, std::string_view machine,
                                     const std::vector<Record>& now);

/// The back-out of a push: declares again what `before` (the records as they were before the push) held,
/// module by module, and gives back what the push brought.
Result<Json> compose_back_out(store::Store& store, const PushOrder& order, const std::vector<Record>& now,
                              const std::vector<Record>& before);

/// Whether a push names every declared record of the machine, and does both halves of the hand-over or
/// neither: gives back every other module's record in the engine's file and unit, and declares the runtime
/// module's. compose asks it of its own result.
Status check_push(store::Store& store, const Json& push, const std::vector<Record>& now);

/// One key that the runtime module would write into the engine's file on a machine.
struct PlannedKey {
  std::string key;
  std::string value;    // JSON text
  std::string setting;  // the setting that decides it; empty when none does
  std::string cost;     // none, reload, restart, recreate
};

/// Where the runtime module (the one assigned that claims the seat) writes, and what. A key whose setting is
/// null or that "keep" names is not there. Errc::not_found when no assigned module claims the seat.
struct PlannedEngine {
  std::string module;
  std::string file;  // "/etc/docker/daemon.json"
  std::string unit;  // "docker.service"
  std::vector<PlannedKey> keys;
};
Result<PlannedEngine> planned_engine(store::Store& store, std::string_view machine);

}  // namespace berth::catalogue
