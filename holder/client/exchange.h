#pragma once
#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::holder::client {

struct Answer {
  int status = 0;
  std::string body;
};

/// One HTTP/1.1 request on a unix socket, on a connection of its own that is closed afterwards. Any failure
/// is Errc::holder_silent saying which: no socket, refused, no permission, closed, no reply within `limit`.
Result<Answer> exchange(const std::filesystem::path& socket, std::string_view method, std::string_view target,
                        std::string body, std::chrono::milliseconds limit);

}  // namespace berth::holder::client
