#include "holder/serve/box_connection.h"

#include <boost/beast/websocket/rfc6455.hpp>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"

namespace berth::holder::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kLongestHeader = 65536;  // box.spawn's params are in it
constexpr std::size_t kMostWaste = std::size_t{4} << 20;
constexpr int kDeepest = 8;
constexpr std::string_view kVerbPath = "/v1/verbs/";
constexpr std::string_view kSpawn = "box.spawn";

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string url_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    out += coded ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return out;
}

/// The params of an upgrade, which has no body: "?params=" and their JSON, encoded.
std::string params_in(std::string_view target) {
  constexpr std::string_view kKey = "?params=";
  const auto at = target.find(kKey);
  return at == std::string_view::npos ? "{}" : url_decoded(target.substr(at + kKey.size()));
}

std::string verb_in(std::string_view target) {
  target = target.substr(0, target.find('?'));
  return target.starts_with(kVerbPath) ? std::string{target.substr(kVerbPath.size())} : std::string{};
}

}  // namespace

BoxConnection::BoxConnection(OwnedFd fd, Terms terms, boxes::verbs::BoxDispatcher& dispatcher,
                             std::stop_token stop)
    : terms_(std::move(terms)), dispatcher_(dispatcher), stop_(std::move(stop)), stream_(io_) {
  ErrorCode error;
  stream_.socket().assign(Local{}, fd.get(), error);
  if (!error) static_cast<void>(fd.release());
}

template <class Begin>
BoxConnection::ErrorCode BoxConnection::step(Begin begin) {
  ErrorCode outcome = asio::error::operation_aborted;
  begin([&](const ErrorCode& error, std::size_t) { outcome = error; });
  io_.restart();
  io_.run();
  return outcome;
}

void BoxConnection::serve() {
  if (!stream_.socket().is_open()) return;
  if (terms_.refusal) {
    static_cast<void>(send(problem(*terms_.refusal), false));
    return drain();
  }
  while (!stop_.stop_requested()) {
    const auto request = read_request();
    if (!request || !answer(*request)) return;
  }
}

std::optional<BoxConnection::Request> BoxConnection::read_request() {
  http::request_parser<http::string_body> parser;
  parser.header_limit(kLongestHeader);
  parser.body_limit(terms_.most_body);
  stream_.expires_after(terms_.idle);
  auto error = step([&](auto done) { http::async_read_header(stream_, buffer_, parser, std::move(done)); });
  if (error) return unreadable(error);
  const auto length = parser.content_length();
  if (length && *length > terms_.most_body) return unreadable(http::error::body_limit);
  stream_.expires_after(terms_.reading);
  if (boost::beast::iequals(parser.get()[http::field::expect], "100-continue")) {
    http::response<http::empty_body> go_ahead{http::status::continue_, 11};
    step([&](auto done) { http::async_write(stream_, go_ahead, std::move(done)); });
  }
  error = step([&](auto done) { http::async_read(stream_, buffer_, parser, std::move(done)); });
  if (error) return unreadable(error);
  stream_.expires_never();
  return parser.release();
}

std::optional<BoxConnection::Request> BoxConnection::unreadable(const ErrorCode& error) {
  const bool large = error == http::error::body_limit || error == http::error::header_limit;
  const bool odd = error.category() == make_error_code(http::error::bad_method).category() &&
                   error != http::error::end_of_stream && error != http::error::partial_message;
  if (!large && !odd) return std::nullopt;  // closed, reset or too slow: nobody to answer
  const auto why =
      large ? fail(Errc::too_large, "a request is at most " + std::to_string(terms_.most_body) + " bytes")
            : fail(Errc::bad_request, "the request is no HTTP/1.1: " + error.message());
  if (send(problem(why), false)) drain();
  return std::nullopt;
}

/// False when the connection is over.
bool BoxConnection::answer(const Request& request) {
  const bool upgrade = boost::beast::websocket::is_upgrade(request);
  if (upgrade && verb_in(view_of(request.target())) == kSpawn) return !spawn(request);
  const bool keep = request.keep_alive();
  if (!send(respond_to(request), keep)) return false;
  if (!keep) drain();
  return keep;
}

Reply BoxConnection::respond_to(const Request& request) {
  static const Json kNone = Json::object();
  const auto target = view_of(request.target());
  if (request.method() == http::verb::get && target == "/healthz") return {.body = "{\"status\":\"up\"}"};
  const auto verb = verb_in(target);
  if (verb.empty())
    return problem(fail(Errc::not_found, "there is nothing at " + std::string{target.substr(0, 128)}));
  if (request.method() != http::verb::post)
    return problem(fail(Errc::bad_request, "a verb is called by POST"));
  const auto params =
      request.body().empty() ? Result<Json>{kNone} : parse_json(request.body(), "the request", kDeepest);
  const boxes::verbs::BoxCall call{
      .caller = terms_.caller, .verb = verb, .params = params ? *params : kNone, .stop = stop_};
  if (!params) return problem(dispatcher_.refuse(call, params.error()));
  const auto answered = dispatcher_.dispatch(call);
  if (!answered) return problem(answered.error());
  return {.body = answered->dump(-1, ' ', false, Json::error_handler_t::replace)};
}

bool BoxConnection::spawn(const Request& request) {
  static const Json kNone = Json::object();
  const auto params = parse_json(params_in(view_of(request.target())), "params", kDeepest);
  const boxes::verbs::BoxCall call{.caller = terms_.caller,
                                   .verb = std::string{kSpawn},
                                   .params = params ? *params : kNone,
                                   .stop = stop_};
  auto process = params ? dispatcher_.spawn(call)
                        : Result<std::unique_ptr<boxes::Stream>>{dispatcher_.refuse(call, params.error())};
  if (!process) return !send(problem(process.error()), request.keep_alive());
  serve_process(io_, std::move(stream_), request, std::move(process).value(), stop_);
  return true;
}

bool BoxConnection::send(const Reply& reply, bool keep) {
  http::response<http::string_body> response{static_cast<http::status>(reply.status), 11};
  response.set(http::field::content_type, boost::beast::string_view{reply.type.data(), reply.type.size()});
  response.body() = reply.body;
  response.keep_alive(keep);
  response.prepare_payload();
  stream_.expires_after(terms_.reading);
  const auto error = step([&](auto done) { http::async_write(stream_, response, std::move(done)); });
  return !error;
}

// A plain close while the client still sends would take the answer from it.
void BoxConnection::drain() {
  ErrorCode ignored;
  stream_.socket().shutdown(Local::socket::shutdown_send, ignored);
  stream_.expires_after(std::chrono::seconds{2});
  std::size_t wasted = 0;
  while (wasted < kMostWaste) {
    char waste[16384];
    std::size_t got = 0;
    const auto error = step([&](auto done) {
      stream_.async_read_some(asio::buffer(waste), [&got, done](const ErrorCode& failed, std::size_t bytes) {
        got = bytes;
        done(failed, bytes);
      });
    });
    if (error) return;
    wasted += got;
  }
}

}  // namespace berth::holder::serve
