#include "host/serve/reply.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"

namespace berth::host::serve {
namespace {

bus::Message message_of(const bus::Message& request, const Result<Json>& answer) {
  bus::Message message;
  message.subject = request.reply;
  if (answer) {
    message.data = answer->dump();
    return message;
  }
  message.data = to_problem(answer.error()).dump();
  message.headers.emplace("Nats-Service-Error-Code", std::to_string(error_row(answer.error().code).status));
  message.headers.emplace("Nats-Service-Error", std::string{error_row(answer.error().code).name});
  return message;
}

}  // namespace

void reply_to(bus::Bus& bus, const bus::Message& request, const Result<Json>& answer) {
  if (request.reply.empty()) return;
  auto message = message_of(request, answer);
  if (message.data.size() > bus.max_payload()) {
    message = message_of(
        request, fail(Errc::too_large, "the answer is " + std::to_string(message.data.size()) +
                                           " bytes, the broker takes " + std::to_string(bus.max_payload())));
  }
  if (const auto sent = bus.publish(message); !sent) {
    log::warn("an answer could not be sent", {{"subject", request.subject}, {"cause", sent.error().detail}});
  }
}

}  // namespace berth::host::serve
