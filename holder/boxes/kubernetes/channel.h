#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes::kubernetes {

/// The first byte of each message of Kubernetes' `channel.k8s.io` protocols.
enum class Channel : char { input = 0, output = 1, errors = 2, status = 3, resize = 4, close = -1 };

inline constexpr const char* kProtocols = "v5.channel.k8s.io, v4.channel.k8s.io";
inline constexpr std::string_view kWithClose = "v5.channel.k8s.io";  // from 1.30 on: the input can be ended
inline constexpr std::string_view kWithStatus = "v4.channel.k8s.io";

inline bool is_spoken(std::string_view protocol) { return protocol == kWithClose || protocol == kWithStatus; }

std::string channel_message(Channel channel, std::string_view bytes);
/// What a message says; an error for one of no known channel, or a status that says the process did not
/// start.
Result<Stream::Piece> piece_of(const std::string& message);

}  // namespace berth::holder::boxes::kubernetes
