#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "holder/serve/connection.h"

// A reply whose body comes line by line, in chunks, until its source ends or its reader goes.
namespace berth::holder::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

std::string heartbeat_line() { return Json{{"heartbeat", to_rfc3339(system_clock().now())}}.dump() + "\n"; }

}  // namespace

void Connection::stream(const Reply& reply) {
  lines_ = reply.lines;
  head_.emplace(static_cast<http::status>(reply.status), 11);
  head_->set(http::field::content_type, boost::beast::string_view{reply.type.data(), reply.type.size()});
  head_->keep_alive(false);
  head_->chunked(true);
  head_writer_.emplace(*head_);
  watch_reader();
  writing_ = true;
  stream_.expires_after(shared_.options.idle);
  http::async_write_header(stream_, *head_writer_, [self = shared_from_this()](const ErrorCode& error, std::size_t) {
    self->writing_ = false;
    if (error) return self->end_stream();
    self->lines_->when_ready([weak = self->weak_from_this(), &io = self->shared_.io] {
      asio::post(io, [weak] {
        const auto still = weak.lock();
        if (still && !still->writing_) still->pump();
      });
    });
    self->pump();
  });
}

/// Whoever reads a stream says nothing more: what comes is passed over, and an end is the end. This read holds
/// the connection for as long as it streams.
void Connection::watch_reader() {
  stream_.expires_never();
  stream_.async_read_some(asio::buffer(waste_), [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
    self->wasted_ += bytes;
    if (error || self->wasted_ > self->waste_.size()) return self->end_stream();
    self->stream_.async_read_some(asio::buffer(self->waste_), [self](const ErrorCode&, std::size_t) { self->end_stream(); });
  });
}

void Connection::pump() {
  auto taken = lines_->take();
  if (!taken.text.empty()) return write_lines(std::move(taken.text));
  if (!taken.over) return wait_for_lines();
  writing_ = true;
  written_ = "0\r\n\r\n";
  asio::async_write(stream_, asio::buffer(written_),
                    [self = shared_from_this()](const ErrorCode&, std::size_t) { self->end_stream(); });
}

void Connection::wait_for_lines() {
  heartbeat_.expires_after(shared_.options.heartbeat);
  heartbeat_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
    const auto still = weak.lock();
    if (!error && still && !still->writing_) still->write_lines(heartbeat_line());
  });
}

void Connection::write_lines(std::string text) {
  writing_ = true;
  written_ = std::move(text);
  stream_.expires_after(shared_.options.idle);  // of this write: the read that is under way keeps its own
  asio::async_write(stream_, http::make_chunk(asio::buffer(written_)),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      self->writing_ = false;
                      error ? self->end_stream() : self->pump();
                    });
}

void Connection::end_stream() {
  lines_->abandon();
  heartbeat_.cancel();
  stream_.close();
}

}  // namespace berth::holder::serve
