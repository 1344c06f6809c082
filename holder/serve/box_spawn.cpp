#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/websocket.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "holder/serve/box_connection.h"

// A process on a WebSocket: binary messages, the first byte says what the rest is (docs/formats.md).
namespace berth::holder::serve {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using Socket = websocket::stream<boost::beast::basic_stream<BoxConnection::Local>>;
using ErrorCode = BoxConnection::ErrorCode;
using Stream = boxes::Stream;

enum Channel : char { kInput = 0, kOutput = 1, kErrors = 2, kEnd = 3, kResize = 4 };

constexpr std::size_t kMostMessage = std::size_t{1} << 20;
constexpr std::size_t kMostWaiting = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kTurn{500};

std::string message(Channel channel, const std::string& bytes) { return std::string(1, channel) + bytes; }

/// Three threads: the connection's runs the socket, `output` reads the process, `input` writes to it, so that
/// a process that neither reads nor writes for a while holds up nobody.
class SpawnedProcess {
 public:
  SpawnedProcess(asio::io_context& io, Socket& socket, Stream& process)
      : io_(io), socket_(socket), process_(process) {}

  void serve(std::stop_token stop) {
    const std::stop_callback ends{stop, [this] { over(); }};
    output_ = std::jthread{[this] { carry_output(), one_less(); }};
    input_ = std::jthread{[this] { carry_input(), one_less(); }};
    read();
    io_.restart();
    io_.run();
  }

 private:
  // On the connection's thread.
  void read() {
    socket_.async_read(message_, [this](const ErrorCode& error, std::size_t) {
      if (error || !take()) return end_reading();
      read();
    });
  }
  void end_reading() {
    over();
    closed_ = true;
    boost::beast::get_lowest_layer(socket_).close();
    patience_.cancel();
  }
  /// The socket is run for as long as one of the two may want to send, and a little longer for the client's
  /// goodbye.
  void one_less() {
    asio::post(io_, [this] {
      if (--threads_ > 0) return;
      staying_.reset();
      if (closed_) return;
      patience_.expires_after(std::chrono::seconds{3});
      patience_.async_wait([this](const ErrorCode& error) {
        if (!error) boost::beast::get_lowest_layer(socket_).close();
      });
    });
  }
  bool take() {
    auto text = boost::beast::buffers_to_string(message_.data());
    message_.consume(message_.size());
    const std::scoped_lock lock{mutex_};
    waiting_bytes_ += text.size();
    waiting_.push_back(std::move(text));
    more_.notify_all();
    return waiting_bytes_ <= kMostWaiting;  // a client that writes more than a process reads is cut
  }

  // On `input`.
  void carry_input() {
    for (;;) {
      std::unique_lock lock{mutex_};
      more_.wait(lock, [&] { return over_ || !waiting_.empty(); });
      if (over_) return;
      const auto text = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= text.size();
      lock.unlock();
      const auto done = give(text);
      // Input that nobody reads any more is no error: how the process ended comes by its output.
      if (!done && (done.error().code == Errc::bad_request || done.error().code == Errc::conflict))
        tell_end(done.error());
    }
  }
  Status give(const std::string& text) {
    if (text.empty()) return fail(Errc::bad_request, "a message has a first byte that says what it is");
    if (text[0] == kInput)
      return text.size() == 1 ? process_.close_input() : process_.write(std::string_view{text}.substr(1));
    if (text[0] != kResize) return fail(Errc::bad_request, "a client sends input (0) and sizes (4) alone");
    const auto document = TRY(parse_json(std::string_view{text}.substr(1), "a size", 2));
    Fields size{document, "terminal"};
    const boxes::Terminal terminal{.columns = static_cast<int>(size.integer("columns", 1, 1000)),
                                   .rows = static_cast<int>(size.integer("rows", 1, 1000))};
    TRY(size.finish());
    return process_.resize(terminal);
  }

  // On `output`.
  void carry_output() {
    while (!is_over()) {
      auto piece = process_.read(kTurn);
      if (!piece) return tell_end(piece.error());
      if (!*piece) continue;
      if ((*piece)->from == Stream::From::end) return tell_end((*piece)->exit_code);
      const auto channel = (*piece)->from == Stream::From::err ? kErrors : kOutput;
      if (!send(message(channel, (*piece)->bytes))) return;
    }
  }
  void tell_end(int exit_code) { tell_end(Json{{"exit_code", exit_code}}); }
  void tell_end(const Error& error) { tell_end(to_problem(error)); }
  void tell_end(const Json& document) {
    static_cast<void>(send(message(kEnd, document.dump(-1, ' ', false, Json::error_handler_t::replace))));
    over();
    asio::post(io_, [this] {
      if (!std::exchange(closing_, true))
        socket_.async_close(websocket::close_code::normal, [](const ErrorCode&) {});
    });
  }

  /// Waits until the client took it: what it does not read, the process cannot write.
  bool send(const std::string& text) {
    const std::scoped_lock one_at_a_time{sending_};
    std::promise<bool> sent;
    asio::post(io_, [&] {
      if (!socket_.is_open()) return sent.set_value(false);
      socket_.binary(true);
      socket_.async_write(asio::buffer(text),
                          [&](const ErrorCode& error, std::size_t) { sent.set_value(!error); });
    });
    return sent.get_future().get();
  }

  bool is_over() {
    const std::scoped_lock lock{mutex_};
    return over_;
  }
  void over() {
    const std::scoped_lock lock{mutex_};
    over_ = true;
    more_.notify_all();
  }

  asio::io_context& io_;
  Socket& socket_;
  Stream& process_;
  boost::beast::flat_buffer message_;
  std::mutex sending_, mutex_;
  std::condition_variable more_;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool over_ = false;
  int threads_ = 2;
  bool closing_ = false, closed_ = false;
  asio::steady_timer patience_{io_};
  asio::executor_work_guard<asio::io_context::executor_type> staying_{io_.get_executor()};
  std::jthread output_, input_;
};

}  // namespace

void serve_process(asio::io_context& io, boost::beast::basic_stream<BoxConnection::Local> stream,
                   const BoxConnection::Request& request, std::unique_ptr<Stream> process,
                   std::stop_token stop) {
  stream.expires_never();
  Socket socket{std::move(stream)};
  socket.read_message_max(kMostMessage);
  ErrorCode accepted = asio::error::operation_aborted;
  socket.async_accept(request, [&](const ErrorCode& error) { accepted = error; });
  io.restart();
  io.run();
  if (accepted) return;
  SpawnedProcess{io, socket, *process}.serve(std::move(stop));
}

}  // namespace berth::holder::serve
