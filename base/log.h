#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace berth::log {

/// One event a line on stderr: a constant phrase, then key=value. Only edges log (dispatchers, runners,
/// main); everything else returns. error: a person must act. warn: we went on, and how. No secrets.
using Pairs = std::initializer_list<std::pair<std::string_view, std::string>>;

void start(std::string_view program);  // journald priorities when stderr is the journal, else times
void info(std::string_view phrase, Pairs pairs = {});
void warn(std::string_view phrase, Pairs pairs = {});
void error(std::string_view phrase, Pairs pairs = {});

}  // namespace berth::log
