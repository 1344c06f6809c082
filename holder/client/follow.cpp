#include "holder/client/follow.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <string>

namespace berth::holder::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Local = asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::chrono::milliseconds kLook{200};             // how often a stop is looked for
constexpr std::size_t kLongestLine = std::size_t{1} << 20;  // no event is a hundredth of it

class Following {
 public:
  Following(const std::function<void()>& connected, const std::function<void(std::string_view)>& sink)
      : connected_(connected), sink_(sink) {
    parser_.body_limit(boost::none);
    parser_.eager(true);
    request_.set(http::field::host, "localhost");
  }

  void begin(const Local::endpoint& endpoint) {
    socket_.async_connect(endpoint, [this](const error_code& error) {
      if (error) return end("connect: " + error.message());
      http::async_write(socket_, request_, [this](const error_code& failed, std::size_t) {
        if (failed) return end("write: " + failed.message());
        read_head();
      });
    });
  }
  /// Until stopped, ended, or silent for too long.
  void run(std::stop_token stop, std::chrono::milliseconds silence) {
    heard_ = std::chrono::steady_clock::now();
    while (!stop.stop_requested() && !ended_) {
      context_.run_for(kLook);
      if (std::chrono::steady_clock::now() - heard_ > silence) end("silent for " + std::to_string(silence.count()) + " ms");
    }
  }
  bool ended() const { return ended_; }
  const std::string& cause() const { return cause_; }

 private:
  void read_head() {
    http::async_read_header(socket_, buffer_, parser_, [this](const error_code& error, std::size_t) {
      if (error) return end("read: " + error.message());
      if (parser_.get().result_int() != 200) return end("status " + std::to_string(parser_.get().result_int()));
      connected_();
      take_lines();
      read_more();
    });
  }
  void read_more() {
    http::async_read_some(socket_, buffer_, parser_, [this](const error_code& error, std::size_t) {
      take_lines();
      if (error || parser_.is_done()) return end("the stream ended");
      read_more();
    });
  }
  void take_lines() {
    heard_ = std::chrono::steady_clock::now();
    auto& text = parser_.get().body();
    std::size_t begin = 0;
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n', begin)) {
      if (at > begin) sink_(std::string_view{text}.substr(begin, at - begin));
      begin = at + 1;
    }
    text.erase(0, begin);
    if (text.size() > kLongestLine) end("a line longer than any event");
  }
  void end(std::string cause) {
    if (!ended_) cause_ = std::move(cause);
    ended_ = true;
    context_.stop();
  }

  const std::function<void()>& connected_;
  const std::function<void(std::string_view)>& sink_;
  asio::io_context context_;
  Local::socket socket_{context_};
  http::request<http::empty_body> request_{http::verb::get, "/v1/events", 11};
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> parser_;
  std::chrono::steady_clock::time_point heard_;
  std::string cause_;
  bool ended_ = false;
};

}  // namespace

Status follow_events(const std::filesystem::path& socket, std::stop_token stop, std::chrono::milliseconds silence,
                     const std::function<void()>& connected, const std::function<void(std::string_view line)>& sink) {
  std::string cause;
  try {
    Following following{connected, sink};
    following.begin(Local::endpoint{socket.native()});
    following.run(stop, silence);
    if (!following.ended()) return {};
    cause = following.cause();
  } catch (const std::exception& error) {
    cause = error.what();
  }
  auto error = fail(Errc::holder_silent, "the holder's events on " + socket.native() + ": " + cause);
  error.seat = "node-container-runtime";
  return error;
}

}  // namespace berth::holder::client
