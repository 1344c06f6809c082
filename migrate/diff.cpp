#include "migrate/diff.h"

#include <algorithm>
#include <vector>

namespace berth::migrate {
namespace {

struct Line {
  char mark;  // ' ', '-', '+'
  std::string text;
};

constexpr std::size_t kContext = 3;
constexpr std::string_view kNoNewline = "\n\\ No newline at end of file";

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) {
      lines.back() += kNoNewline;
      break;
    }
    text.remove_prefix(end + 1);
  }
  for (auto& line : lines) {
    for (auto at = line.find('\r'); at != std::string::npos; at = line.find('\r', at + 3))
      line.replace(at, 1, "␍");
  }
  return lines;
}

/// Longest common subsequence by the plain table: an engine's file has tens of lines. Longer ones (4000 lines
/// together) are shown as taken out and put in whole.
std::vector<Line> edit_script(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<Line> script;
  const bool too_long = a.size() + b.size() > 4000;
  std::vector<std::vector<unsigned>> common(a.size() + 1, std::vector<unsigned>(too_long ? 1 : b.size() + 1));
  if (!too_long) {
    for (std::size_t i = a.size(); i-- > 0;) {
      for (std::size_t j = b.size(); j-- > 0;) {
        common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
      }
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (!too_long && i < a.size() && j < b.size() && a[i] == b[j]) {
      script.push_back({' ', a[i++]});
      ++j;
    } else if (i < a.size() && (too_long || j >= b.size() || common[i + 1][j] >= common[i][j + 1])) {
      script.push_back({'-', a[i++]});
    } else {
      script.push_back({'+', b[j++]});
    }
  }
  return script;
}

/// "-3,4": where a hunk begins and how many lines it has.
std::string range(char mark, std::size_t begin, std::size_t count) {
  return std::string{mark} + std::to_string(count == 0 ? begin : begin + 1) +
         (count == 1 ? "" : "," + std::to_string(count));
}

std::string hunk(const std::vector<Line>& script, std::size_t from, std::size_t to, std::size_t old_line,
                 std::size_t new_line) {
  std::size_t old_count = 0;
  std::size_t new_count = 0;
  std::string body;
  for (auto k = from; k < to; ++k) {
    if (script[k].mark != '+') ++old_count;
    if (script[k].mark != '-') ++new_count;
    body += script[k].mark + script[k].text + "\n";
  }
  return "@@ " + range('-', old_line, old_count) + " " + range('+', new_line, new_count) + " @@\n" + body;
}

/// Where the hunk that begins at a change ends: after the last change with less than two contexts between.
std::size_t hunk_end(const std::vector<Line>& script, std::size_t change) {
  auto last = change;
  for (auto k = change; k < script.size() && k <= last + 2 * kContext; ++k) {
    if (script[k].mark != ' ') last = k;
  }
  return std::min(script.size(), last + kContext + 1);
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, std::string_view name) {
  if (before == after) return "";
  const auto script = edit_script(lines_of(before), lines_of(after));
  std::string text = "--- " + std::string{name} + "\n+++ " + std::string{name} + "\n";
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  std::size_t done = 0;
  const auto pass = [&](std::size_t to) {
    for (; done < to; ++done) {
      if (script[done].mark != '+') ++old_line;
      if (script[done].mark != '-') ++new_line;
    }
  };
  for (std::size_t k = 0; k < script.size(); ++k) {
    if (script[k].mark == ' ') continue;
    const auto from = std::max(done, k < kContext ? 0 : k - kContext);
    const auto to = hunk_end(script, k);
    pass(from);
    text += hunk(script, from, to, old_line, new_line);
    pass(to);
    k = to - 1;
  }
  return text;
}

}  // namespace berth::migrate
