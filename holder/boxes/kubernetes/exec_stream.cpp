#include "holder/boxes/kubernetes/exec_stream.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>

#include "base/json.h"
#include "holder/boxes/kubernetes/channel.h"

// The one unit that sees Beast's WebSocket over TLS.
namespace berth::holder::boxes::kubernetes {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using ErrorCode = beast::error_code;

constexpr std::chrono::seconds kOpenBound{20};  // of each step
constexpr std::chrono::seconds kWriteBound{20};
constexpr std::size_t kMostQueued = std::size_t{4}
                                    << 20;  // beyond it nothing is read until somebody takes it

struct Address {
  bool tls = true;
  std::string host, port;
};
Address address_of(const std::string& server) {
  Address address{.tls = server.starts_with("https://"), .host = {}, .port = {}};
  auto rest = server.substr(server.find("//") + 2);
  rest = rest.substr(0, rest.find('/'));
  const auto colon = rest.rfind(':');
  const bool has_port = colon != std::string::npos && rest.find(']', colon) == std::string::npos;
  address.host = rest.substr(0, has_port ? colon : std::string::npos);
  address.port = has_port ? rest.substr(colon + 1) : address.tls ? "443" : "80";
  if (address.host.starts_with('[')) address.host = address.host.substr(1, address.host.size() - 2);
  return address;
}

/// What stands before the API's own paths where a server is reached through another.
std::string path_of(const std::string& server) {
  const auto slash = server.find('/', server.find("//") + 2);
  return slash == std::string::npos ? std::string{} : server.substr(slash);
}

std::string encoded(const std::string& text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_';
    if (plain)
      out += c;
    else
      (out += '%') += {kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

std::string target_of(const ExecCall& call, const std::string& path_prefix) {
  auto target = path_prefix + call.pod_path + "/exec?container=box&stdin=true&stdout=true&tty=" +
                (call.terminal ? "true" : "false&stderr=true");
  for (const auto& word : call.argv) target += "&command=" + encoded(word);
  return target;
}

/// Over TLS or plain, the same afterwards. All of it runs on one thread of its own.
template <class Lower>
class Exec final : public Stream {
 public:
  Exec(std::string server, ExecCall call) : server_(std::move(server)), call_(std::move(call)) {}
  Exec(std::string server, ExecCall call, std::unique_ptr<asio::ssl::context> tls)
      : server_(std::move(server)), call_(std::move(call)), tls_(std::move(tls)) {}

  ~Exec() override {
    if (!over_) static_cast<void>(kill());
    if (!thread_.joinable()) return;
    asio::post(io_, [this] {
      beast::get_lowest_layer(*socket_).close();
      staying_.reset();
    });
    thread_.join();
  }

  /// The handshakes are on the caller's thread, all that follows on the stream's own.
  Status open(const std::string& target, const std::string& token) {
    over_ = true;
    TRY(connect(target, token));
    over_ = false;
    thread_ = std::thread{[this] { io_.run(); }};
    asio::post(io_, [this] { read_next(); });
    return {};
  }

  /// Older ones tell no exit code, and one that took none may take a channel's number for input.
  Status understood() const {
    if (is_spoken(protocol_)) return {};
    return fail(Errc::engine_refused, "exec: the API server took " +
                                          (protocol_.empty() ? "none" : "\"" + protocol_ + "\"") +
                                          " of the protocols it was offered: " + kProtocols);
  }

  Result<std::optional<Piece>> read(std::chrono::milliseconds wait) override {
    std::unique_lock lock{mutex_};
    if (over_ && pieces_.empty() && !broken_) return std::optional{Piece{From::end, {}, 0}};
    more_.wait_for(lock, wait, [&] { return !pieces_.empty() || broken_; });
    if (pieces_.empty()) {
      if (!broken_) return std::optional<Piece>{};
      return *broken_;  // whether the process still runs is not known: the destructor sees to it
    }
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    queued_ -= piece.bytes.size();
    if (piece.from == From::end) over_ = true;
    const bool resume = paused_ && queued_ < kMostQueued;
    if (resume) paused_ = false;
    lock.unlock();
    if (resume) asio::post(io_, [this] { read_next(); });
    return std::optional{std::move(piece)};
  }

  Status write(std::string_view bytes) override { return send(channel_message(Channel::input, bytes)); }

  Status close_input() override {
    if (protocol_ != kWithClose)
      return fail(Errc::conflict,
                  "the API server speaks " + protocol_ + ", which cannot end a process's input");
    return send(std::string{"\xff\0", 2});
  }

  Status resize(Terminal size) override {
    if (!call_.terminal) return fail(Errc::conflict, "the process has no terminal");
    const Json document = {{"Width", size.columns}, {"Height", size.rows}};
    return send(channel_message(Channel::resize, document.dump()));
  }

  Status kill() override {
    const bool ended = std::exchange(over_, true);
    return ended && !broken_ ? Status{} : call_.kill();
  }

 private:
  using Socket = websocket::stream<Lower>;

  /// One asynchronous step, waited for: that is how a handshake has a bound.
  template <class Begin>
  ErrorCode step(Begin begin) {
    ErrorCode outcome;
    bool done = false;
    beast::get_lowest_layer(*socket_).expires_after(kOpenBound);
    begin([&](const ErrorCode& error, auto&&...) {
      outcome = error;
      done = true;
    });
    while (!done) io_.run_one();
    return outcome;
  }

  Error unreachable(const std::string& why) const {
    return fail(Errc::engine_unreachable, "API server " + server_ + ": " + why);
  }

  Status connect(const std::string& target, const std::string& token) {
    const auto address = address_of(server_);
    ErrorCode error;
    asio::ip::tcp::resolver resolver{io_};
    const auto ends = resolver.resolve(address.host, address.port, error);
    if (error) return unreachable(error.message());
    make_socket();
    error = step([&](auto done) { beast::get_lowest_layer(*socket_).async_connect(ends, std::move(done)); });
    if (error) return unreachable(error.message());
    beast::get_lowest_layer(*socket_).socket().set_option(asio::ip::tcp::no_delay{true}, error);
    TRY(secure(address));
    return shake_hands(address, target, token);
  }

  void make_socket() {
    if constexpr (std::is_same_v<Lower, beast::tcp_stream>)
      socket_ = std::make_unique<Socket>(io_);
    else
      socket_ = std::make_unique<Socket>(io_, *tls_);
  }

  Status secure([[maybe_unused]] const Address& address) {
    if constexpr (!std::is_same_v<Lower, beast::tcp_stream>) {
      auto& layer = socket_->next_layer();
      layer.set_verify_callback(asio::ssl::host_name_verification{address.host});
      SSL_set_tlsext_host_name(layer.native_handle(), address.host.c_str());
      const auto error =
          step([&](auto done) { layer.async_handshake(asio::ssl::stream_base::client, std::move(done)); });
      if (error) return unreachable(error.message());
    }
    return {};
  }

  Status shake_hands(const Address& address, const std::string& target, const std::string& token) {
    socket_->set_option(websocket::stream_base::decorator([token](websocket::request_type& request) {
      request.set(http::field::sec_websocket_protocol, kProtocols);
      if (!token.empty()) request.set(http::field::authorization, "Bearer " + token);
    }));
    socket_->read_message_max(std::size_t{16} << 20);
    websocket::response_type response;
    const auto error = step([&](auto done) {
      socket_->async_handshake(response, address.host + ":" + address.port, target, std::move(done));
    });
    if (error == websocket::error::upgrade_declined)  // Beast keeps why to itself
      return fail(Errc::engine_refused, "exec: the API server declined the upgrade");
    if (error) return unreachable(error.message());
    const auto chosen = response[http::field::sec_websocket_protocol];
    protocol_.assign(chosen.data(), chosen.size());
    beast::get_lowest_layer(*socket_).expires_never();
    return {};
  }

  void read_next() {
    socket_->async_read(message_, [this](const ErrorCode& error, std::size_t) {
      if (error) return lost(error);
      const auto text = beast::buffers_to_string(message_.data());
      message_.consume(message_.size());
      if (take(text)) read_next();
    });
  }

  /// Whether to read on.
  bool take(const std::string& text) {
    auto piece = piece_of(text);
    const std::scoped_lock lock{mutex_};
    more_.notify_all();
    if (!piece) {
      broken_ = piece.error();
      return false;
    }
    const bool last = piece->from == From::end;
    if (last || !piece->bytes.empty()) {
      queued_ += piece->bytes.size();
      pieces_.push_back(std::move(piece).value());
    }
    ended_ = ended_ || last;
    paused_ = queued_ >= kMostQueued;
    return !last && !paused_;
  }

  void lost(const ErrorCode& error) {
    const std::scoped_lock lock{mutex_};
    if (!ended_ && !broken_) broken_ = unreachable("the stream ended: " + error.message());
    more_.notify_all();
  }

  Status send(std::string text) {
    const std::scoped_lock one_at_a_time{sending_};
    const auto sent = std::make_shared<std::promise<std::string>>();
    const auto kept = std::make_shared<std::string>(std::move(text));
    auto result = sent->get_future();
    asio::post(io_, [this, sent, kept] {
      socket_->binary(true);
      socket_->async_write(asio::buffer(*kept), [sent, kept](const ErrorCode& error, std::size_t) {
        sent->set_value(error ? error.message() : std::string{});
      });
    });
    if (result.wait_for(kWriteBound) != std::future_status::ready)
      return fail(Errc::timeout, "API server " + server_ + ": it takes no more input");
    const auto why = result.get();
    return why.empty() ? Status{} : Status{unreachable(why)};
  }

  const std::string server_;
  ExecCall call_;
  std::string protocol_;
  std::unique_ptr<asio::ssl::context> tls_;
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> staying_{io_.get_executor()};
  std::unique_ptr<Socket> socket_;
  beast::flat_buffer message_;
  std::mutex mutex_, sending_;
  std::condition_variable more_;
  std::deque<Piece> pieces_;
  std::size_t queued_ = 0;
  std::optional<Error> broken_;
  bool paused_ = false, ended_ = false;
  bool over_ = false;  // the reading thread's: the end was told, or the process was killed
  std::thread thread_;
};

Result<std::unique_ptr<asio::ssl::context>> tls_of(const Credentials& credentials) {
  auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
  ErrorCode error;
  context->set_verify_mode(asio::ssl::verify_peer, error);
  if (credentials.ca_pem.empty())
    context->set_default_verify_paths(error);
  else
    context->add_certificate_authority(asio::buffer(credentials.ca_pem), error);
  if (error) return fail(Errc::bad_request, "the cluster's certificate authority: " + error.message());
  if (credentials.cert_pem.empty()) return context;
  context->use_certificate_chain(asio::buffer(credentials.cert_pem), error);
  if (!error) context->use_private_key(asio::buffer(credentials.key_pem), asio::ssl::context::pem, error);
  if (error) return fail(Errc::bad_request, "the client's certificate: " + error.message());
  return context;
}

/// Why an upgrade was declined: the same request without one is refused in words.
Error declined(Api& api, const std::string& target, Error told) {
  const auto asked = api.get(target);
  return asked ? told : asked.error();
}

template <class Lower, class... Tls>
Result<std::unique_ptr<Stream>> opened(Api& api, ExecCall call, Tls... tls) {
  const auto target = target_of(call, "");
  const auto prefix = path_of(api.credentials().server);
  auto stream = std::make_unique<Exec<Lower>>(api.credentials().server, std::move(call), std::move(tls)...);
  const auto open = stream->open(prefix + target, TRY(api.token()));
  if (!open && open.error().code == Errc::engine_refused) return declined(api, target, open.error());
  TRY(open);
  TRY(stream->understood());
  return std::unique_ptr<Stream>{std::move(stream)};
}

}  // namespace

Result<std::unique_ptr<Stream>> open_exec(Api& api, ExecCall call) {
  if (!api.credentials().server.starts_with("https://"))
    return opened<beast::tcp_stream>(api, std::move(call));
  auto tls = TRY(tls_of(api.credentials()));
  return opened<beast::ssl_stream<beast::tcp_stream>>(api, std::move(call), std::move(tls));
}

}  // namespace berth::holder::boxes::kubernetes
