#pragma once
// For box_face.cpp, box_connection.cpp and box_spawn.cpp alone: the units that see Beast.
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "base/owned.h"
#include "holder/boxes/verbs/box_dispatcher.h"
#include "holder/serve/routes.h"

namespace berth::holder::serve {

/// One client of the boxes' socket, on a thread of its own: a request, its answer, and again; or, after the
/// upgrade of `box.spawn`, a process until either side ends.
class BoxConnection {
 public:
  struct Terms {
    std::size_t most_body = 0;
    std::chrono::seconds idle{0}, reading{0};
    std::string caller = {};
    std::optional<Error> refusal = {};  // answered to whatever may come
  };
  BoxConnection(OwnedFd fd, Terms terms, boxes::verbs::BoxDispatcher& dispatcher, std::stop_token stop);

  /// Returns when the client went, or the face ends.
  void serve();

  using Local = boost::asio::local::stream_protocol;
  using Request = boost::beast::http::request<boost::beast::http::string_body>;
  using ErrorCode = boost::beast::error_code;

 private:
  /// One asynchronous step, waited for: that is how a step has a bound.
  template <class Begin>
  ErrorCode step(Begin begin);
  std::optional<Request> read_request();
  std::optional<Request> unreadable(const ErrorCode& error);
  bool answer(const Request& request);
  Reply respond_to(const Request& request);
  bool send(const Reply& reply, bool keep);
  void drain();
  /// True when the connection became a process's, and is over.
  bool spawn(const Request& request);

  Terms terms_;
  boxes::verbs::BoxDispatcher& dispatcher_;
  std::stop_token stop_;
  boost::asio::io_context io_{1};
  boost::beast::basic_stream<Local> stream_;
  boost::beast::flat_buffer buffer_;
};

/// Speaks WebSocket on the stream, with the process at its other end, until either ends.
void serve_process(boost::asio::io_context& io, boost::beast::basic_stream<BoxConnection::Local> stream,
                   const BoxConnection::Request& request, std::unique_ptr<boxes::Stream> process,
                   std::stop_token stop);

}  // namespace berth::holder::serve
