#include "holder/serve/connection.h"

#include <boost/asio/post.hpp>

namespace berth::holder::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr std::size_t kMostHeader = 16384;
constexpr std::size_t kMostDrained = std::size_t{4} << 20;

std::string_view text(boost::beast::string_view view) { return {view.data(), view.size()}; }

}  // namespace

Connection::Connection(Local::socket socket, Shared& shared)
    : shared_(shared), stream_(std::move(socket)), heartbeat_(shared.io) {
  ++shared_.open;
}
Connection::~Connection() {
  if (lines_) lines_->abandon();
  --shared_.open;
}

void Connection::serve() { read_header(); }

void Connection::turn_away(const Reply& reply) { send(reply, false); }

void Connection::read_header() {
  parser_.emplace();
  parser_->header_limit(kMostHeader);
  parser_->body_limit(shared_.options.most_body);
  stream_.expires_after(shared_.options.idle);
  http::async_read_header(
      stream_, buffer_, *parser_,
      [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->header_read(error); });
}

void Connection::header_read(const ErrorCode& error) {
  if (error) return refuse_unreadable(error);
  // A client that says how much it will send is refused before it sends it.
  const auto length = parser_->content_length();
  if (length && *length > shared_.options.most_body) return refuse_unreadable(http::error::body_limit);
  stream_.expires_after(shared_.options.reading);
  boost::beast::iequals(parser_->get()[http::field::expect], "100-continue") ? go_ahead() : read_body();
}

void Connection::go_ahead() {
  response_ = Response{http::status::continue_, 11};
  http::async_write(stream_, response_, [self = shared_from_this()](const ErrorCode& error, std::size_t) {
    if (!error) self->read_body();
  });
}

void Connection::read_body() {
  http::async_read(stream_, buffer_, *parser_,
                   [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                     error ? self->refuse_unreadable(error) : self->answer();
                   });
}

void Connection::answer() {
  stream_.expires_never();  // a verb is bounded by its own time
  const bool taken = shared_.workers->offer([self = shared_from_this()]() mutable {
    const auto& request = self->parser_->get();
    const Served served{self->shared_.dispatcher, self->shared_.followers, self->shared_.options.events};
    auto reply = respond(served, text(request.method_string()), text(request.target()), request.body());
    auto& io = self->shared_.io;
    // Moved, so that the last owner of a connection is always on the I/O thread.
    asio::post(io, [self = std::move(self), reply = std::move(reply)] {
      self->reply(reply, self->parser_->get().keep_alive());
    });
  });
  if (taken) return;
  shared_.dispatcher.turned_away(verbs::Face::socket);
  send(problem(fail(Errc::busy, "the holder has as many calls as it takes: ask again")), true);
}

void Connection::reply(const Reply& reply, bool keep) {
  if (reply.lines)
    stream(reply);
  else
    send(reply, keep);
}

void Connection::send(const Reply& reply, bool keep) {
  response_ = Response{static_cast<http::status>(reply.status), 11};
  response_.set(http::field::content_type, boost::beast::string_view{reply.type.data(), reply.type.size()});
  response_.body() = reply.body;
  response_.keep_alive(keep);
  response_.prepare_payload();
  stream_.expires_after(shared_.options.idle);
  http::async_write(stream_, response_,
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) { self->sent(error); });
}

void Connection::sent(const ErrorCode& error) {
  if (error) return;
  response_.keep_alive() ? read_header() : drain();
}

void Connection::refuse_unreadable(const ErrorCode& error) {
  if (error == http::error::body_limit || error == http::error::header_limit) {
    return turn_away(problem(fail(
        Errc::too_large, "a request is at most " + std::to_string(shared_.options.most_body) + " bytes")));
  }
  const bool gone = error == http::error::end_of_stream || error == http::error::partial_message ||
                    error.category() != make_error_code(http::error::bad_method).category();
  if (gone) return;  // closed, reset or too slow: nobody to answer
  turn_away(problem(fail(Errc::bad_request, "the request is no HTTP/1.1: " + error.message())));
}

// A plain close while the client still sends would take the answer from it: say that no more comes, and
// read on for a little while.
void Connection::drain() {
  ErrorCode ignored;
  stream_.socket().shutdown(Local::socket::shutdown_send, ignored);
  stream_.expires_after(std::chrono::seconds{2});
  stream_.async_read_some(asio::buffer(waste_),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            self->drained(error, bytes);
                          });
}

void Connection::drained(const ErrorCode& error, std::size_t bytes) {
  wasted_ += bytes;
  if (error || wasted_ > kMostDrained) return;
  stream_.async_read_some(asio::buffer(waste_),
                          [self = shared_from_this()](const ErrorCode& failed, std::size_t more) {
                            self->drained(failed, more);
                          });
}

}  // namespace berth::holder::serve
