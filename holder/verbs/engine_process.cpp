#include <unistd.h>

#include <charconv>

#include "base/file.h"
#include "holder/verbs/engine_file.h"

namespace berth::holder::verbs {
namespace {

constexpr std::size_t kMostText = std::size_t{1} << 20;

std::string first_line(const std::string& text) { return text.substr(0, text.find_first_of("\r\n")); }

std::vector<std::string> words_of(const std::string& command_line) {
  std::vector<std::string> words;
  for (std::size_t from = 0; from < command_line.size();) {
    const auto end = std::min(command_line.find('\0', from), command_line.size());
    words.push_back(command_line.substr(from, end - from));
    from = end + 1;
  }
  return words;
}

/// The number after `words` further words; 0 where there is none.
std::int64_t number_at(std::string_view text, int words) {
  for (; words > 0 && !text.empty(); --words) {
    const auto space = text.find(' ');
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// proc(5): field 22 of stat, ticks since the machine started; the process's name may hold anything but is in
/// brackets, and field 3 comes after it. btime of /proc/stat is when the machine did.
std::optional<Time> began_at(const std::string& stat, const std::string& machine) {
  const auto name_end = stat.rfind(')');
  const auto boot = machine.find("\nbtime ");
  if (name_end == std::string::npos || boot == std::string::npos) return std::nullopt;
  const auto ticks = number_at(std::string_view{stat}.substr(name_end + 2), 19);
  const auto booted = number_at(std::string_view{machine}.substr(boot + 1), 1);
  const auto rate = ::sysconf(_SC_CLK_TCK);
  if (ticks <= 0 || booted <= 0 || rate <= 0) return std::nullopt;
  return Time{std::chrono::seconds{booted} + std::chrono::milliseconds{ticks * 1000 / rate}};
}

EngineProcess not_known(std::string why) { return {.flags = {}, .began = {}, .unknown = std::move(why)}; }

}  // namespace

EngineProcess EngineProcess::look(const std::filesystem::path& pid_file) {
  const auto pid = read_file(pid_file, 64);
  if (!pid) return not_known(pid.error().detail);
  const auto folder = "/proc/" + std::to_string(number_at(first_line(*pid), 0));
  const auto command = read_file(folder + "/cmdline", kMostText);
  if (!command) return not_known(command.error().detail);
  auto words = words_of(*command);
  if (words.empty() || !words.front().ends_with("dockerd"))
    return not_known(pid_file.native() + " names a process that is no dockerd");
  words.erase(words.begin());
  EngineProcess process{.flags = client::flags_in(words), .began = {}, .unknown = {}};
  const auto stat = read_file(folder + "/stat", kMostText);
  const auto machine = read_file("/proc/stat", kMostText);
  if (stat && machine) process.began = began_at(*stat, *machine);
  return process;
}

}  // namespace berth::holder::verbs
