#pragma once
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <random>
#include <stdexcept>

namespace berth::test {

/// A port of 127.0.0.1 that nobody listens on. Not one that the kernel gives to whoever connects: while a server of
/// ours is down, a client of its own may be given that very port, and then the server cannot come back.
inline int free_port() {
  constexpr int kFirst = 10'240, kLast = 19'999, kTries = 200;
  std::random_device random;
  std::uniform_int_distribution<int> any{kFirst, kLast};
  for (int i = 0; i < kTries; ++i) {
    const int port = any(random);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(fd);
    if (bound) return port;
  }
  throw std::runtime_error("no free loopback port");
}

}  // namespace berth::test
