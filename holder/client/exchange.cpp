#include "holder/client/exchange.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <optional>

namespace berth::holder::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::uint64_t kMostAnswer = std::uint64_t{64} << 20;

std::string cause_of(const error_code& error, std::string_view doing) {
  if (error == http::error::end_of_stream || error == asio::error::eof ||
      error == http::error::partial_message || error == asio::error::connection_reset ||
      error == asio::error::broken_pipe) {
    return "the connection was closed before an answer";
  }
  if (error == http::error::body_limit)
    return "the answer is larger than " + std::to_string(kMostAnswer) + " bytes";
  if (error == asio::error::connection_refused) return "the connection was refused: nobody listens there";
  if (error.value() == ENOENT) return "there is no such socket";
  return std::string{doing} + ": " + error.message();
}

/// Connect, write, read, each started by the one before; `run` ends with the answer, a cause or neither.
class Exchange {
 public:
  explicit Exchange(http::request<http::string_body> request) : request_(std::move(request)) {
    parser_.body_limit(kMostAnswer);
  }

  void run(const Local::endpoint& endpoint, std::chrono::milliseconds limit) {
    socket_.async_connect(endpoint, [this](const error_code& error) { connected(error); });
    context_.run_for(limit);
  }
  bool finished() const { return finished_; }
  const std::string& cause() const { return cause_; }
  Answer answer() { return {static_cast<int>(parser_.get().result_int()), std::move(parser_.get().body())}; }

 private:
  void connected(const error_code& error) {
    if (error) return end(cause_of(error, "connect"));
    // An early refusal closes its reading side while we still write: what it said is there to be read.
    http::async_write(socket_, request_, [this](const error_code&, std::size_t) { read(); });
  }
  void read() {
    http::async_read(socket_, buffer_, parser_, [this](const error_code& error, std::size_t) {
      end(error ? cause_of(error, "read") : std::string{});
    });
  }
  void end(std::string cause) {
    finished_ = true;
    cause_ = std::move(cause);
  }

  asio::io_context context_;
  Local::socket socket_{context_};
  http::request<http::string_body> request_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  bool finished_ = false;
  std::string cause_;
};

Error silent(const std::filesystem::path& socket, const std::string& cause) {
  auto error = fail(Errc::holder_silent, "the holder of node-container-runtime does not answer on " +
                                             socket.native() + ": " + cause);
  error.seat = "node-container-runtime";
  return error;
}

http::request<http::string_body> request_of(std::string_view method, std::string_view target,
                                            std::string body) {
  http::request<http::string_body> request{
      http::string_to_verb({method.data(), method.size()}), {target.data(), target.size()}, 11};
  request.set(http::field::host, "localhost");
  request.keep_alive(false);
  if (!body.empty()) request.set(http::field::content_type, "application/json");
  request.body() = std::move(body);
  request.prepare_payload();
  return request;
}

}  // namespace

Result<Answer> exchange(const std::filesystem::path& socket, std::string_view method, std::string_view target,
                        std::string body, std::chrono::milliseconds limit) {
  try {
    Exchange one{request_of(method, target, std::move(body))};
    one.run(Local::endpoint{socket.native()}, limit);
    if (!one.finished()) return silent(socket, "no reply within " + std::to_string(limit.count()) + " ms");
    if (!one.cause().empty()) return silent(socket, one.cause());
    return one.answer();
  } catch (const std::exception& error) {
    return silent(socket, error.what());
  }
}

}  // namespace berth::holder::client
