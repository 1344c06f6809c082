#include "holder/client/client.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "holder/client/exchange.h"

namespace berth::holder::client {
namespace {

Result<Json> ask(const std::filesystem::path& socket, std::string_view method, const std::string& target,
                 std::string body, std::chrono::milliseconds limit) {
  const auto answer = TRY(exchange(socket, method, target, std::move(body), limit));
  auto document = parse_json(answer.body, "the holder's answer");
  if (answer.status == 200 && document) return document;
  if (answer.status != 200 && document && document->is_object() && document->contains("code")) {
    return from_problem(*document);
  }
  auto error = fail(Errc::holder_silent, "what answers on " + socket.native() + " is no holder: status " +
                                             std::to_string(answer.status) + " without a document of ours");
  error.seat = "node-container-runtime";
  return error;
}

}  // namespace

Result<Json> HolderClient::call(std::string_view verb, const Json& params,
                                std::chrono::milliseconds limit) const {
  std::string body;
  try {
    body = params.dump();
  } catch (const Json::exception& error) {
    return fail(Errc::bad_request,
                "the params of " + std::string{verb} + " cannot be written: " + error.what());
  }
  return ask(socket_, "POST", "/v1/verbs/" + std::string{verb}, std::move(body), limit);
}

Result<Json> HolderClient::seat() const {
  return ask(socket_, "GET", "/v1/seat", {}, std::chrono::seconds{5});
}

}  // namespace berth::holder::client
