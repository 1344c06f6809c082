#include "holder/engine/refusal.h"

#include "base/json.h"
#include "holder/engine/utf8.h"

namespace berth::holder::engine {
namespace {

constexpr std::size_t kMessageLimit = 1024;

/// Both engines answer {"message": …}, except where they answer plain text or nothing.
std::string message_of(const std::string& body) {
  const auto document = Json::parse(body, nullptr, false);
  std::string text = body;
  if (document.is_object()) {
    if (const auto found = document.find("message"); found != document.end() && found->is_string()) {
      text = found->get<std::string>();
    }
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  if (text.size() > kMessageLimit) text.resize(kMessageLimit);
  return valid_utf8(text);
}

Errc code_of(int status) {
  if (status == 404) return Errc::not_found;
  return status == 409 ? Errc::conflict : Errc::engine_refused;
}

}  // namespace

Error refusal(const Answer& answer, std::string_view doing) {
  const auto message = message_of(answer.body);
  auto error = fail(code_of(answer.status), std::string{doing} + ": the engine answered " +
                                                std::to_string(answer.status) +
                                                (message.empty() ? "" : ": " + message));
  error.engine_status = answer.status;
  error.engine_message = message;
  return error;
}

Result<Answer> accepted(Result<Answer> answer, std::string_view doing) {
  if (!answer) return std::move(answer).error().while_doing(doing);
  if (!answer->ok()) return refusal(*answer, doing);
  return answer;
}

}  // namespace berth::holder::engine
