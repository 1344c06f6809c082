#include "host/serve/reply.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "bus/whole.h"

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

void send(bus::Bus& bus, const bus::Message& message) {
  if (const auto sent = bus.publish(message); !sent)
    log::warn("an answer could not be sent", {{"subject", message.subject}, {"cause", sent.error().detail}});
}

}  // namespace

void send_text(bus::Bus& bus, const bus::Message& request, std::string text) {
  send(bus, {.subject = request.reply, .reply = {}, .headers = {}, .data = std::move(text)});
}

void reply_to(bus::Bus& bus, PartsDesk& parts, const bus::Message& request, const Result<Json>& answer) {
  if (request.reply.empty()) return;
  auto message = message_of(request, answer);
  if (message.data.size() > bus.max_payload()) {
    auto first = parts.keep(message.data, bus::room_in(bus));
    if (first) return send_text(bus, request, std::move(*first));
    message = message_of(request, first.error());
  }
  send(bus, message);
}

}  // namespace berth::host::serve
