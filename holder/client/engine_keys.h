#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::holder::client {

enum class Taken { at_reload, at_start };

/// A key of the engine's file that berth may own: what its value is, when the engine takes it, and the value
/// that un-takes it (removing a key and reloading does not).
struct EngineKey {
  std::string_view key;
  std::string_view shape;    // boolean, text, texts, map
  Taken taken;
  std::string_view neutral;  // JSON text; empty for a key taken at the engine's start
};

/// Null for a key that berth does not own: the engine's answer cannot confirm it, or it would cut us off.
const EngineKey* find_engine_key(std::string_view key);

/// The value as the file must hold it (a number among log-opts becomes text, which is all the engine takes), or
/// why the engine would refuse it at its next start: bad_request naming the key.
Result<Json> engine_value(std::string_view key, const Json& value);

/// Refuses what does not go together in the whole of the file: options the log driver does not have, and
/// members of the file of a shape that the engine would not start with.
Status check_engine_document(const Json& document, const std::string& path);

/// A registry as the engine says it: without scheme, a network by its first address.
std::string normal_registry(std::string_view registry);

/// A flag of dockerd: its name in the file and whether it takes a value.
struct FlagName { std::string key; bool takes_value; };
FlagName flag_name(std::string_view flag);

/// One flag of a command line: as written, its name in the file, its value ("true" of a switch) and the place
/// of the word that has the value.
struct SetFlag { std::string flag, key, value; std::size_t at; };
std::vector<SetFlag> flags_in(const std::vector<std::string>& words);

/// Whether any engine that berth knows takes such a key: one that it does not know stops its start.
bool is_engine_key(std::string_view key);

}  // namespace berth::holder::client
