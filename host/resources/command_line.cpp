#include "host/resources/command_line.h"

#include <algorithm>
#include <optional>

namespace berth::host::resources {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Takes one word off the front, its quotes and escapes undone; nothing at the end of the line.
std::optional<std::string> take_word(std::string_view& rest) {
  const auto first = rest.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return std::nullopt;
  std::string word;
  char quote = '\0';
  std::size_t at = first;
  for (; at < rest.size(); ++at) {
    const char c = rest[at];
    if (c == '\\' && at + 1 < rest.size() && quote != '\'') word += rest[++at];
    else if (quote != '\0' && c == quote) quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\'')) quote = c;
    else if (quote == '\0' && kSpace.find(c) != std::string_view::npos) break;
    else word += c;
  }
  rest.remove_prefix(at);
  return word;
}

bool is_name(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool is_whole_variable(std::string_view word) {
  return word.size() > 1 && word[0] == '$' && std::ranges::all_of(word.substr(1), is_name);
}

/// Fills in ${NAME} and $NAME within a word; the file becomes the variable's where the whole word is one.
Word filled(const std::string& word, const std::string& file, const Variables& variables) {
  Word out{"", file};
  for (std::size_t at = 0; at < word.size();) {
    const bool braced = word.compare(at, 2, "${") == 0;
    auto end = braced ? word.find('}', at) : at + 1;
    while (!braced && end < word.size() && is_name(word[end])) ++end;
    if (word[at] != '$' || end == std::string::npos || end == at + 1) {
      out.text += word[at++];
      continue;
    }
    const auto name = braced ? word.substr(at + 2, end - at - 2) : word.substr(at + 1, end - at - 1);
    const auto found = variables.find(name);
    if (found != variables.end()) {
      out.text += found->second.value;
      out.file = found->second.file;
    }
    at = braced ? end + 1 : end;
  }
  return out;
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  while (auto word = take_word(line)) words.push_back(std::move(*word));
  return words;
}

std::vector<Word> expand_words(std::string_view line, const std::string& file, const Variables& variables) {
  std::vector<Word> words;
  while (auto word = take_word(line)) {
    if (!is_whole_variable(*word)) {
      words.push_back(filled(*word, file, variables));
      continue;
    }
    const auto found = variables.find(word->substr(1));
    if (found == variables.end()) continue;
    for (auto& part : split_words(found->second.value)) words.push_back({std::move(part), found->second.file});
  }
  return words;
}

std::vector<std::string> unit_lines(std::string_view text) {
  std::vector<std::string> lines;
  std::string line;
  bool continued = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    auto piece = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (piece.starts_with('#') || piece.starts_with(';')) continue;  // also between continued lines
    const bool more = piece.ends_with('\\');
    if (more) piece.remove_suffix(1);
    line += (continued ? " " : "") + std::string{piece};
    continued = more;
    if (more) continue;
    if (!line.empty()) lines.push_back(std::string{trimmed(line)});
    line.clear();
  }
  if (!line.empty()) lines.push_back(std::string{trimmed(line)});
  return lines;
}

void read_environment(std::string_view text, const std::string& file, Variables& variables) {
  for (const auto& line : unit_lines(text)) {
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    auto name = trimmed(std::string_view{line}.substr(0, equals));
    if (name.starts_with("export ")) name = trimmed(name.substr(7));
    // Quotes are undone and the pieces joined, white space outside them kept: A="b" c → b c.
    std::string value;
    char quote = '\0';
    const auto raw = trimmed(std::string_view{line}.substr(equals + 1));
    for (std::size_t at = 0; at < raw.size(); ++at) {
      if (raw[at] == '\\' && at + 1 < raw.size() && quote != '\'') value += raw[++at];
      else if (quote != '\0' && raw[at] == quote) quote = '\0';
      else if (quote == '\0' && (raw[at] == '"' || raw[at] == '\'')) quote = raw[at];
      else value += raw[at];
    }
    variables[std::string{name}] = {value, file};
  }
}

}  // namespace berth::host::resources
