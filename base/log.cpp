#include "base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace berth::log {
namespace {

/// Quoted when a space, quote or control character would break the line into something else.
std::string quoted(const std::string& value) {
  bool plain = !value.empty();
  for (const char c : value) plain = plain && c > ' ' && c != '"' && c != '=' && c != 0x7f;
  if (plain) return value;
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  }
  return text + "\"";
}

void write(spdlog::level::level_enum level, std::string_view phrase, Pairs pairs) {
  std::string line{phrase};
  for (const auto& [key, value] : pairs) line += " " + std::string{key} + "=" + quoted(value);
  spdlog::default_logger_raw()->log(level, line);
}

}  // namespace

void start(std::string_view program) {
  auto logger = std::make_shared<spdlog::logger>(std::string{program},
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  const bool journal = std::getenv("JOURNAL_STREAM") != nullptr;
  logger->set_pattern(journal ? "%l: %v" : "%Y-%m-%dT%H:%M:%S.%eZ %l %n: %v", spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(std::move(logger));
}

void info(std::string_view phrase, Pairs pairs) { write(spdlog::level::info, phrase, pairs); }
void warn(std::string_view phrase, Pairs pairs) { write(spdlog::level::warn, phrase, pairs); }
void error(std::string_view phrase, Pairs pairs) { write(spdlog::level::err, phrase, pairs); }

}  // namespace berth::log
