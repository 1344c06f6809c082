#pragma once
#include <string>

#include "holder/engine/engine.h"

namespace berth::holder::engine {

/// `since`, RFC 3339 or empty, as this engine is asked for it. Podman reads it as a floating number, and may leave out
/// the very line that is asked from: it is asked from a second before, and what is too old is left out here.
Result<std::string> since_asked(Kind kind, const std::string& since);
/// Asked from the very moment that a container says it started at, it is all of that run that is wanted: Docker stamps
/// a run's first lines a little before that moment. So it is from the end of the run before on, at most a second
/// early; where that end is not known any more, a line too many is better than one lost. Else `since` as it is.
Result<std::string> since_meant(const std::string& since, const Summary& container);
/// As the lines' own stamps are written, so that they compare; empty stays empty.
Result<std::string> as_stamp(const std::string& time);
/// Whether a line of this stamp may be from `since`, a stamp too, on: some engines stamp by the second, and such a line
/// may be of any moment of it.
bool may_be_from(const std::string& stamp, const std::string& since);

}  // namespace berth::holder::engine
