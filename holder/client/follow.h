#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string_view>

#include "base/result.h"

namespace berth::holder::client {

/// GET /v1/events of the holder's socket: each line as it comes, heartbeats too, until stopped (success), the
/// holder ends the stream, or nothing comes for `silence` (Errc::holder_silent saying which). `connected` is
/// called once the holder has begun to answer. The sink must not wait. Any thread.
Status follow_events(const std::filesystem::path& socket, std::stop_token stop, std::chrono::milliseconds silence,
                     const std::function<void()>& connected, const std::function<void(std::string_view line)>& sink);

}  // namespace berth::holder::client
