#pragma once
// For socket_face.cpp and connection.cpp alone: the units that see Beast.
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "holder/serve/routes.h"
#include "holder/serve/socket_face.h"
#include "holder/serve/work_pool.h"

namespace berth::holder::serve {

using Local = boost::asio::local::stream_protocol;

/// What the connections of one face share. All of it stands before `io`, whose end is the end of every
/// connection left.
struct Shared {
  Shared(SocketFace::Options chosen, verbs::Dispatcher& dispatch)
      : options(std::move(chosen)),
        dispatcher(dispatch),
        workers(std::make_unique<WorkPool>(
            WorkPool::Options{.most = options.workers, .waiting = options.connections})) {}

  SocketFace::Options options;
  verbs::Dispatcher& dispatcher;
  std::atomic<std::size_t> open = 0;
  Followers followers;
  boost::asio::io_context io{1};
  std::unique_ptr<WorkPool> workers;
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
  void reply(const Reply& reply, bool keep);
  void send(const Reply& reply, bool keep);
  void sent(const ErrorCode& error);
  void refuse_unreadable(const ErrorCode& error);
  void drain();
  void drained(const ErrorCode& error, std::size_t bytes);

  // A reply whose body comes line by line (stream.cpp).
  void stream(const Reply& reply);
  void watch_reader();
  void pump();
  void wait_for_lines();
  void write_lines(std::string text);
  void end_stream();

  Shared& shared_;
  boost::beast::basic_stream<Local> stream_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Response response_;
  std::array<char, 16384> waste_{};
  std::size_t wasted_ = 0;

  std::shared_ptr<LineStream> lines_;
  boost::asio::steady_timer heartbeat_;
  using Head = boost::beast::http::response<boost::beast::http::empty_body>;
  std::optional<Head> head_;
  std::optional<boost::beast::http::response_serializer<boost::beast::http::empty_body>> head_writer_;
  std::string written_;
  bool writing_ = false;
};

}  // namespace berth::holder::serve
