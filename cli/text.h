#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::cli {

/// Text that came from elsewhere (a container's name, an engine's message) made safe to show: control
/// characters, broken UTF-8 and the characters that turn the direction of writing stand there as escapes, so
/// that nothing moves the cursor, hides a line or looks like another word.
std::string printable(std::string_view text);

/// How many columns `text` takes on a terminal, one a character.
std::size_t width_of(std::string_view text);

}  // namespace berth::cli
