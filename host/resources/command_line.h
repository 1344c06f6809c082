#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::host::resources {

/// A word of a command line and the file its text comes from.
struct Word { std::string text, file; };

/// A variable's value and the file that sets it.
struct Variable { std::string value, file; };
using Variables = std::map<std::string, Variable>;

/// Splits as systemd does: white space, '…' and "…", backslash escapes.
std::vector<std::string> split_words(std::string_view line);
/// The same with $NAME (as many words as its value has) and ${NAME} (inside its word) filled in.
std::vector<Word> expand_words(std::string_view line, const std::string& file, const Variables& variables);
/// NAME=value lines of an environment file: comments, quotes and continued lines as systemd reads them.
void read_environment(std::string_view text, const std::string& file, Variables& variables);
/// The logical lines of a unit file: continued lines joined, comments left out, white space trimmed.
std::vector<std::string> unit_lines(std::string_view text);

}  // namespace berth::host::resources
