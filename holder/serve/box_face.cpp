#include "holder/serve/box_face.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "holder/serve/box_connection.h"
#include "holder/serve/listening.h"

namespace berth::holder::serve {
namespace {

std::optional<uid_t> uid_of_peer(int fd) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

}  // namespace

struct BoxFace::Impl {
  Impl(Options chosen, boxes::verbs::BoxDispatcher& dispatch, OwnedFd fd)
      : options(std::move(chosen)), dispatcher(dispatch), listening(std::move(fd)) {
    accepting = std::jthread{[this](std::stop_token stop) { accept_all(stop); }};
  }

  ~Impl() {
    accepting.request_stop();
    accepting.join();
    {
      const std::scoped_lock lock{mutex};
      for (auto& one : open) {
        one.thread.request_stop();
        ::shutdown(one.fd.get(), SHUT_RDWR);
      }
    }
    open.clear();
    std::error_code ignored;
    std::filesystem::remove(options.socket, ignored);
  }

  void accept_all(std::stop_token stop) {
    while (!stop.stop_requested()) {
      pollfd entry{listening.get(), POLLIN, 0};
      if (::poll(&entry, 1, 100) > 0) {
        OwnedFd fd{::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (fd) admit(std::move(fd));
      }
      reap();
    }
  }

  void admit(OwnedFd fd) {
    const auto uid = uid_of_peer(fd.get());
    const bool allowed = uid && std::ranges::find(options.uids, *uid) != options.uids.end();
    const std::scoped_lock lock{mutex};
    if (open.size() >= 2 * options.connections) return;  // being told costs a thread too
    BoxConnection::Terms terms{
        .most_body = options.most_body, .idle = options.idle, .reading = options.reading};
    terms.caller = "uid:" + (uid ? std::to_string(*uid) : "unknown");
    if (!allowed) {
      log::warn("a peer of the boxes' socket was turned away", {{"caller", terms.caller}});
      terms.refusal = fail(Errc::not_granted, "your user id is not one of boxes.uids");
    } else if (open.size() >= options.connections) {
      terms.refusal = fail(Errc::busy, "too many connections to the boxes' socket");
    }
    auto& one = open.emplace_back();
    one.fd.reset(
        ::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0));  // its own, for the connection's may be closed by then
    one.thread = std::jthread{
        [this, &one, terms = std::move(terms), fd = std::move(fd)](std::stop_token stop) mutable {
          BoxConnection{std::move(fd), std::move(terms), dispatcher, stop}.serve();
          const std::scoped_lock done{mutex};
          one.ended = true;
        }};
  }

  void reap() {
    std::list<One> ended;  // joined outside the lock
    const std::scoped_lock lock{mutex};
    for (auto at = open.begin(); at != open.end();) {
      const auto next = std::next(at);
      if (at->ended) ended.splice(ended.end(), open, at);
      at = next;
    }
  }

  struct One {
    OwnedFd fd;
    bool ended = false;
    std::jthread thread;
  };

  const Options options;
  boxes::verbs::BoxDispatcher& dispatcher;
  const OwnedFd listening;
  std::mutex mutex;
  std::list<One> open;
  std::jthread accepting;
};

BoxFace::BoxFace(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoxFace::~BoxFace() = default;

Result<std::unique_ptr<BoxFace>> BoxFace::open(Options options, boxes::verbs::BoxDispatcher& dispatcher) {
  auto fd = TRY(listen_on(options.socket, options.uids));
  return std::make_unique<BoxFace>(std::make_unique<Impl>(std::move(options), dispatcher, std::move(fd)));
}

}  // namespace berth::holder::serve
