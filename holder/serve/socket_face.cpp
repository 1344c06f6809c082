#include "holder/serve/socket_face.h"

#include <sys/socket.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>
#include <future>
#include <thread>

#include "base/log.h"
#include "holder/serve/connection.h"
#include "holder/serve/listening.h"

namespace berth::holder::serve {
namespace {

namespace asio = boost::asio;

/// Who is at the other end, as the kernel noted it at connect.
std::optional<uid_t> peer_uid(Local::socket& socket) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket.native_handle(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

struct SocketFace::Impl {
  Impl(Options options, verbs::Dispatcher& dispatcher, OwnedFd fd) : shared(std::move(options), dispatcher) {
    acceptor.assign(Local{}, fd.release());
  }

  void accept() {
    acceptor.async_accept([this](const boost::system::error_code& error, Local::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error) admit(std::move(socket));
      error ? accept_later() : accept();
    });
  }

  /// Out of file descriptors: asking again at once would only burn the processor.
  void accept_later() {
    pause.expires_after(std::chrono::milliseconds{100});
    pause.async_wait([this](const boost::system::error_code& error) {
      if (!error) accept();
    });
  }

  void admit(Local::socket socket) {
    const auto uid = peer_uid(socket);
    const bool allowed = uid && std::ranges::find(shared.options.uids, *uid) != shared.options.uids.end();
    const bool room = shared.open < shared.options.connections;
    // Twice the bound and they are not even told: being told costs a connection too.
    if (shared.open >= 2 * shared.options.connections) return;
    const auto connection = std::make_shared<Connection>(std::move(socket), shared);
    if (!allowed) {
      log::warn("a peer of the socket was turned away", {{"uid", uid ? std::to_string(*uid) : "unknown"}});
      return connection->turn_away(problem(
          fail(Errc::not_granted, "this socket is the host's: your user id is not one of socket_uids")));
    }
    if (!room)
      return connection->turn_away(problem(fail(Errc::busy, "too many connections to the holder's socket")));
    connection->serve();
  }

  void run() {
    accept();
    io_thread = std::thread{[this] { shared.io.run(); }};
  }

  ~Impl() {
    asio::post(shared.io, [this] {
      acceptor.close();
      pause.cancel();
    });
    shared.workers.reset();  // calls that run are ended by their own bound, and recorded
    // Their answers are written now; whoever does not read them is not waited for.
    const auto written = std::make_shared<std::promise<void>>();
    asio::post(shared.io, [written] { written->set_value(); });
    written->get_future().wait_for(std::chrono::seconds{1});
    shared.io.stop();
    io_thread.join();
    std::error_code ignored;
    std::filesystem::remove(shared.options.socket, ignored);
  }

  Shared shared;
  Local::acceptor acceptor{shared.io};
  asio::steady_timer pause{shared.io};
  // The I/O thread stays for the answers of calls that outlast the listening.
  asio::executor_work_guard<asio::io_context::executor_type> staying{shared.io.get_executor()};
  std::thread io_thread;
};

SocketFace::SocketFace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SocketFace::~SocketFace() = default;

Result<std::unique_ptr<SocketFace>> SocketFace::open(Options options, verbs::Dispatcher& dispatcher) {
  auto fd = TRY(listen_on(options.socket, options.uids));
  try {
    auto impl = std::make_unique<Impl>(std::move(options), dispatcher, std::move(fd));
    impl->run();
    return std::make_unique<SocketFace>(std::move(impl));
  } catch (const std::exception& error) {
    return fail(Errc::failed, std::string{"serve the socket: "} + error.what());
  }
}

bool SocketFace::is_alive(std::chrono::milliseconds limit) {
  const auto turn = std::make_shared<std::promise<void>>();
  auto taken = turn->get_future();
  asio::post(impl_->shared.io, [turn] { turn->set_value(); });
  return taken.wait_for(limit) == std::future_status::ready;
}

}  // namespace berth::holder::serve
