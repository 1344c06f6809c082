#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::cli {

/// Text that came from elsewhere (a container's name, an engine's message) made safe to show: control
/// characters, broken UTF-8 and the characters that turn the direction of writing stand there as escapes, so
/// that nothing moves the cursor, hides a line or looks like another word.
std::string printable(std::string_view text);

/// The same of a text of several lines: each is made safe by itself, and `indent` stands before those after the first, so
/// that none of them looks like a line of ours.
std::string printable_lines(std::string_view text, std::string_view indent = "");

/// How many columns `text` takes on a terminal, one a character.
std::size_t width_of(std::string_view text);

}  // namespace berth::cli
