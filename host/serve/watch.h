#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace berth::host::serve {

struct Shared;

/// The container that an event's line says ended or went, if it is one that is held; nothing for any other
/// line.
std::optional<std::string> lost_container(std::string_view line);

/// The holder's events' thread: tells the applies' worker which held container ended or went, and once after
/// every gap. A holder that does not answer is asked again every second.
void watch_worker(std::stop_token stop, Shared& shared);

}  // namespace berth::host::serve
