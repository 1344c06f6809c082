#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace berth::catalogue {

/// One release of berth for one platform: where it is and what proves it.
struct ArtifactFacts {
  std::string artifact;  // file:// or http(s)://
  std::string sha256;
  std::string signature;  // base64
};

struct ReleaseFacts {
  std::string version;
  std::map<std::string, ArtifactFacts> platforms;  // "debian-12" -> …
};

/// What the fleet document says of one machine. Settings are JSON objects as text, by module.
struct MachineFacts {
  std::string name;
  std::string machine_id;  // 32 hex
  std::string platform;    // "debian-12"
  std::string account;     // what ${machine:account} is
  std::vector<std::string> capabilities;
  std::vector<std::string> modules;             // wanted, in the document's order
  std::map<std::string, std::string> settings;  // module -> {"key": value, …}, over the fleet's
};

struct GrantFacts {
  std::string caller;
  std::string machine;             // a name or "*"
  std::vector<std::string> verbs;  // "*" reaches reading verbs only
  std::string cls;                 // read, act
};

struct BusFacts {
  std::string url;
  std::string broker_machine;  // empty: the broker is none of the fleet's modules
  std::string broker_module;
  std::map<std::string, std::string> nkeys = {};  // user -> public nkey, of those who log in by one
};

/// A manifest that the fleet document brings along: the file's name for errors, and its text.
struct ManifestFacts {
  std::string path;
  std::string text;
  static ManifestFacts from(const store::Columns& c) { return {"module " + c.text(0), c.text(1)}; }
};

/// All that the catalogue needs of a fleet document, so that it need not know the document: migrate fills it.
struct FleetFacts {
  std::string name = "mesh";
  BusFacts bus;
  std::map<std::string, std::string> reach;  // seat -> host:port; "mesh-bus" is the bus url unless given
  std::vector<MachineFacts> machines;
  std::map<std::string, std::string> settings;  // module -> {"key": value, …}, fleet-wide
  std::vector<GrantFacts> grants;
  std::map<std::string, ReleaseFacts> releases;  // start, with_holder, without_cli
  std::vector<ManifestFacts> manifests;       // beside the shipped ones; the same name replaces a shipped one
  std::string source = "the fleet document";  // its path, for errors

  const MachineFacts* find_machine(std::string_view machine) const;
};

/// Takes the facts into the operator's store, whole or not at all: the shipped manifests and the fleet's,
/// machines, assignments, grants, and the facts themselves (setting "fleet"). Seats are not seeded here:
/// that is the migration's third step. Refused before anything is written: a malformed manifest or setting,
/// an unknown module, a capability a machine lacks, an act granted by '*', two machines of one id, and
/// taking the seat's module from a machine whose containers need it (Errc::seat_unheld).
Status import_fleet(store::Store& store, const FleetFacts& facts);

/// The facts imported last, with every manifest of the store and without the grants (grants.h has those).
/// Errc::not_found when none were.
Result<FleetFacts> imported_fleet(store::Store& store);

/// The same with no other machine than this one in `machines`, and without it when there is no such machine: what a push to
/// one of a thousand rests on, read in the time of one.
Result<FleetFacts> imported_fleet_for(store::Store& store, std::string_view machine);

/// What import_fleet would refuse, without a store: for `plan`.
Status check_fleet(const FleetFacts& facts);

}  // namespace berth::catalogue
