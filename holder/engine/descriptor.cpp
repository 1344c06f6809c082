#include "holder/engine/descriptor.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace berth::holder::engine {
namespace {

/// One byte, and room for one descriptor beside it.
struct Parcel {
  Parcel() {
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
  }
  Parcel(const Parcel&) = delete;
  Parcel& operator=(const Parcel&) = delete;

  char byte = '+';
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr message{};
};

}  // namespace

Status send_descriptor(int over, int fd) {
  Parcel parcel;
  auto* header = CMSG_FIRSTHDR(&parcel.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  while (::sendmsg(over, &parcel.message, MSG_NOSIGNAL) != 1) {
    if (errno == EINTR) continue;
    if (errno == ENOTSOCK)
      return fail(Errc::bad_request, "standard input is no socket: this is asked by a holder alone");
    return fail(Errc::failed, std::string{"hand the descriptor over: "} + std::strerror(errno));
  }
  return {};
}

OwnedFd receive_descriptor(int over) {
  Parcel parcel;
  ssize_t n = 0;
  do {
    n = ::recvmsg(over, &parcel.message, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return {};
  const auto* header = CMSG_FIRSTHDR(&parcel.message);
  if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(sizeof(int)))
    return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return OwnedFd{fd};
}

}  // namespace berth::holder::engine
