#include "tests/sim/sim_holders.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace berth::test {
namespace {

void answer(int connection, const Json& seat) {
  // A request without a body is whole once its head is; the client waits for the answer before anything else.
  std::string head;
  std::array<char, 2048> block{};
  while (head.find("\r\n\r\n") == std::string::npos) {
    const auto n = ::read(connection, block.data(), block.size());
    if (n <= 0) return;
    head.append(block.data(), static_cast<std::size_t>(n));
  }
  const auto body = seat.dump();
  const auto text =
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  (void)!::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
}

}  // namespace

SimHolders::~SimHolders() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void SimHolders::add(const std::string& socket, Holder holder) {
  OwnedFd listener{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket.c_str(), sizeof address.sun_path - 1);
  if (::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), 16) != 0)
    throw std::runtime_error("cannot listen on " + socket);
  sockets_.push_back({std::move(listener), std::move(holder)});
}

void SimHolders::start() {
  thread_ = std::jthread{[this](const std::stop_token& stop) { serve(stop); }};
}

void SimHolders::serve(const std::stop_token& stop) {
  std::vector<pollfd> ready;
  for (const auto& socket : sockets_) ready.push_back({socket.listener.get(), POLLIN, 0});
  while (!stop.stop_requested()) {
    if (::poll(ready.data(), ready.size(), 20) <= 0) continue;
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if ((ready[i].revents & POLLIN) == 0) continue;
      const OwnedFd connection{::accept4(ready[i].fd, nullptr, nullptr, SOCK_CLOEXEC)};
      if (connection && sockets_[i].holder.up()) answer(connection.get(), sockets_[i].holder.seat());
    }
  }
}

}  // namespace berth::test
