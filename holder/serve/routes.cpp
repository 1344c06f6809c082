#include "holder/serve/routes.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "holder/serve/following.h"
#include "holder/serve/metrics.h"

namespace berth::holder::serve {
namespace {

constexpr std::string_view kVerbs = "/v1/verbs/";
constexpr int kMaxDepth = 8;  // of a request: no verb's params nest half as deep

std::string text_of(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool is_follow(const verbs::Call& call) {
  const auto* row = verbs::find_verb(call.verb);
  if (row == nullptr || row->name != "logs" || !call.params.is_object()) return false;
  const auto follow = call.params.find("follow");
  return follow != call.params.end() && *follow == true;
}

Reply call_verb(const Served& served, std::string_view verb, std::string_view body) {
  static const Json kNone = Json::object();
  const auto params = body.empty() ? Result<Json>{kNone} : parse_json(body, "the request", kMaxDepth);
  const verbs::Call call{.face = verbs::Face::socket,
                         .caller = "host",
                         .verb = std::string{verb},
                         .params = params ? *params : kNone};
  if (!params) return problem(served.dispatcher.refuse(call, params.error()));
  if (is_follow(call)) return follow_logs(served, call);
  const auto answer = served.dispatcher.dispatch(call);
  return answer ? Reply{.body = text_of(*answer)} : problem(answer.error());
}

Reply get(const Served& served, std::string_view target) {
  if (target == "/v1/seat") return {.body = text_of(served.dispatcher.seat_document())};
  if (target == "/v1/events") return follow_events(served);
  if (target == "/healthz") return {.body = "{\"status\":\"up\"}"};
  if (target == "/metrics")
    return {.type = "text/plain; version=0.0.4; charset=utf-8", .body = metrics_page(served.dispatcher)};
  return problem(fail(Errc::not_found, "there is nothing at " + std::string{target}));
}

}  // namespace

Reply problem(const Error& error) {
  return {.status = static_cast<unsigned>(error_row(error.code).status),
          .type = "application/problem+json",
          .body = text_of(to_problem(error))};
}

Reply respond(const Served& served, std::string_view method, std::string_view target, std::string_view body) {
  if (target.starts_with(kVerbs)) {
    if (method == "POST") return call_verb(served, target.substr(kVerbs.size()), body);
    return problem(fail(Errc::bad_request, "a verb is called by POST"));
  }
  if (method == "GET") return get(served, target);
  return problem(
      fail(Errc::not_found, "there is nothing to " + std::string{method} + " at " + std::string{target}));
}

}  // namespace berth::holder::serve
