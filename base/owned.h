#pragma once
#include <unistd.h>

#include <memory>
#include <utility>

namespace berth {

/// Turns a C handle into an owner in one line: using NatsMsg = CPtr<natsMsg, natsMsg_Destroy>;
template <auto Free>
struct CFree {
  void operator()(auto* handle) const noexcept { Free(handle); }
};
template <class T, auto Free>
using CPtr = std::unique_ptr<T, CFree<Free>>;

/// Owns a file descriptor; negative means none.
class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~OwnedFd() { reset(); }

  explicit operator bool() const noexcept { return fd_ >= 0; }
  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace berth
