#pragma once
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::holder::client {

/// The host's side of the holder's socket: one HTTP/1.1 request a call on a connection of its own. Not
/// answering (no socket, refused, closed, no reply within the bound) is Errc::holder_silent saying which;
/// an error the holder answers comes back as that error. Loads neither curl nor nats. Any thread.
class HolderClient {
 public:
  explicit HolderClient(std::filesystem::path socket) : socket_(std::move(socket)) {}

  /// POST /v1/verbs/<verb>.
  Result<Json> call(std::string_view verb, const Json& params, std::chrono::milliseconds limit = std::chrono::seconds{25}) const;
  /// GET /v1/seat.
  Result<Json> seat() const;
  const std::filesystem::path& socket() const { return socket_; }

 private:
  std::filesystem::path socket_;
};

}  // namespace berth::holder::client
