#include <charconv>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/utf8.h"

// GET /containers/<id>/top: rows of text under titles, from ps or from Podman's own reading.
namespace berth::holder::engine {
namespace {

std::int64_t whole_number(const std::string& text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<double> decimal(const std::string& text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} && read.ptr != text.data() ? std::optional{number} : std::nullopt;
}

/// ps: "[[days-]hours:]minutes:seconds".
std::optional<std::int64_t> clock_seconds(std::string_view text) {
  std::int64_t days = 0, seconds = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    days = whole_number(std::string{text.substr(0, dash)});
    text.remove_prefix(dash + 1);
  }
  while (!text.empty()) {
    const auto colon = std::min(text.find(':'), text.size());
    seconds = seconds * 60 + whole_number(std::string{text.substr(0, colon)});
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return days * 86400 + seconds;
}

/// Podman: "26h3m1.27s".
std::optional<std::int64_t> duration_seconds(std::string_view text) {
  double seconds = 0;
  while (!text.empty()) {
    double number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr == text.data() + text.size()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(read.ptr - text.data()));
    const bool milli = text.starts_with("ms");
    const double unit = milli ? 0.001 : text[0] == 'h' ? 3600 : text[0] == 'm' ? 60 : text[0] == 's' ? 1 : 0;
    seconds += number * unit;
    while (!text.empty() && !(text[0] >= '0' && text[0] <= '9')) text.remove_prefix(1);
  }
  return static_cast<std::int64_t>(seconds);
}

std::optional<std::int64_t> elapsed_seconds(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return text.find(':') != std::string::npos ? clock_seconds(text) : duration_seconds(text);
}

void put_column(Process& process, std::string_view title, const std::string& text) {
  if (title == "PID") process.pid = whole_number(text);
  if (title == "PPID") process.parent = whole_number(text);
  if (title == "USER") process.user = text;
  if (title == "%CPU") process.cpu_percent = decimal(text);
  if (title == "ELAPSED") process.elapsed_s = elapsed_seconds(text);
  if (title == "COMMAND") process.command = text;
}

}  // namespace

Result<std::vector<Process>> parse_processes(std::string_view body) {
  const auto document = TRY(engine_json(body, "top"));
  const auto& titles = member(document, "Titles");
  const auto& rows = member(document, "Processes");
  if (!titles.is_array()) return fail(Errc::engine_refused, "top: the engine's answer has no titles");
  std::vector<Process> processes;
  if (!rows.is_array()) return processes;
  for (const auto& row : rows) {
    Process process;
    for (std::size_t i = 0; row.is_array() && i < std::min(row.size(), titles.size()); ++i) {
      if (row[i].is_string() && titles[i].is_string())
        put_column(process, titles[i].get<std::string>(), row[i].get<std::string>());
    }
    processes.push_back(std::move(process));
  }
  return processes;
}

}  // namespace berth::holder::engine
