#include "holder/boxes/kubernetes/channel.h"

#include <charconv>

#include "base/json.h"
#include "holder/boxes/kubernetes/api.h"

namespace berth::holder::boxes::kubernetes {
namespace {

/// {"status": "Success"}, or a Failure whose cause ExitCode carries the number as text.
Result<Stream::Piece> ended(std::string_view text) {
  const auto status = Json::parse(text, nullptr, false);
  Stream::Piece piece{Stream::From::end, {}, 0};
  if (text_part(status, {"status"}) == "Success") return piece;
  const auto& causes = part(status, {"details", "causes"});
  if (text_part(status, {"reason"}) == "NonZeroExitCode" && causes.is_array()) {
    for (const auto& cause : causes) {
      const auto code = text_part(cause, {"message"});
      const auto read = std::from_chars(code.data(), code.data() + code.size(), piece.exit_code);
      if (text_part(cause, {"reason"}) == "ExitCode" && read.ec == std::errc{}) return piece;
    }
  }
  return fail(Errc::engine_refused, "the process: " + text_part(status, {"message"}));
}

}  // namespace

std::string channel_message(Channel channel, std::string_view bytes) {
  return std::string(1, static_cast<char>(channel)) + std::string{bytes};
}

Result<Stream::Piece> piece_of(const std::string& message) {
  const auto bytes = std::string_view{message}.substr(message.empty() ? 0 : 1);
  const auto channel = message.empty() ? Channel::close : static_cast<Channel>(message.front());
  if (channel == Channel::output) return Stream::Piece{Stream::From::out, std::string{bytes}, 0};
  if (channel == Channel::errors) return Stream::Piece{Stream::From::err, std::string{bytes}, 0};
  if (channel == Channel::status) return ended(bytes);
  if (channel == Channel::close) return Stream::Piece{Stream::From::out, {}, 0};  // that one of them is done
  return fail(Errc::engine_refused, "exec: the API server sent a message of channel " +
                                        std::to_string(static_cast<int>(message.front())));
}

}  // namespace berth::holder::boxes::kubernetes
