#pragma once
// For socket_face.cpp and connection.cpp alone: the units that see Beast.
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <memory>
#include <optional>

#include "holder/serve/routes.h"
#include "holder/serve/socket_face.h"

namespace berth::holder::serve {

using Local = boost::asio::local::stream_protocol;

/// What the connections of one face share. `open` is the I/O thread's alone, and stands before `io`, whose
/// end is the end of every connection left.
struct Shared {
  Shared(SocketFace::Options chosen, verbs::Dispatcher& dispatch)
      : options(std::move(chosen)), dispatcher(dispatch), workers(options.workers) {}

  SocketFace::Options options;
  verbs::Dispatcher& dispatcher;
  std::size_t open = 0;
  boost::asio::io_context io{1};
  boost::asio::thread_pool workers;
};

/// One client: reads a request, has a worker answer it, writes the answer, and again. All its steps run on
/// the I/O thread; it lives as long as a step of it is under way.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Local::socket socket, Shared& shared);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void serve();
  /// Answers `reply` to whatever may come, unread, and closes.
  void turn_away(const Reply& reply);

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using Response = boost::beast::http::response<boost::beast::http::string_body>;
  using ErrorCode = boost::beast::error_code;

  void read_header();
  void header_read(const ErrorCode& error);
  void go_ahead();
  void read_body();
  void answer();
  void send(const Reply& reply, bool keep);
  void sent(const ErrorCode& error);
  void refuse_unreadable(const ErrorCode& error);
  void drain();
  void drained(const ErrorCode& error, std::size_t bytes);

  Shared& shared_;
  boost::beast::basic_stream<Local> stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Response response_;
  std::array<char, 16384> waste_{};
  std::size_t wasted_ = 0;
};

}  // namespace berth::holder::serve
