#pragma once
#include <string>

#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// `since`, RFC 3339 or empty, as this engine is asked for it. Podman reads it as a floating number, and may leave out
/// the very line that is asked from: it is asked from a second before, and what is too old is left out here.
Result<std::string> since_asked(Kind kind, const std::string& since);
/// As the lines' own stamps are written, so that they compare; empty stays empty.
Result<std::string> as_stamp(const std::string& time);
/// Whether a line of this stamp may be from `since`, a stamp too, on: some engines stamp by the second, and such a line
/// may be of any moment of it.
bool may_be_from(const std::string& stamp, const std::string& since);

}  // namespace berth::holder::engine
