#include "holder/serve/listening.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"

namespace berth::holder::serve {
namespace {

constexpr int kBacklog = 128;

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof(address.sun_path)) {
    return fail(Errc::bad_request, "the socket path " + path.native() + " is longer than a socket's can be");
  }
  path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  return address;
}

const sockaddr* plain(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

/// Takes away what a holder that was killed left behind.
Status remove_stale(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat about {};
  if (::lstat(path.c_str(), &about) != 0)
    return errno == ENOENT ? Status{} : errno_error("look at", path.native(), errno);
  if (!S_ISSOCK(about.st_mode))
    return fail(Errc::conflict, path.native() + " is there already and is no socket");
  const OwnedFd probe{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!probe) return errno_error("make a socket for", path.native(), errno);
  if (::connect(probe.get(), plain(address), sizeof(address)) == 0 || errno == EAGAIN) {
    return fail(Errc::conflict, "another process listens on " + path.native());
  }
  if (errno != ECONNREFUSED) return errno_error("connect to", path.native(), errno);
  return ::unlink(path.c_str()) == 0 ? Status{} : errno_error("remove", path.native(), errno);
}

mode_t mode_for(const std::vector<uid_t>& uids) {
  const auto opens_anyway = [](uid_t uid) { return uid == 0 || uid == ::geteuid(); };
  return std::ranges::all_of(uids, opens_anyway) ? 0600 : 0666;
}

}  // namespace

Result<OwnedFd> listen_on(const std::filesystem::path& path, const std::vector<uid_t>& uids) {
  const auto address = TRY(address_of(path));
  TRY(remove_stale(path, address));
  OwnedFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!fd) return errno_error("make a socket for", path.native(), errno);
  if (::bind(fd.get(), plain(address), sizeof(address)) != 0)
    return errno_error("bind", path.native(), errno);
  // Before it listens, so that nobody connects while it is open to all.
  if (::chmod(path.c_str(), mode_for(uids)) != 0) return errno_error("chmod", path.native(), errno);
  if (::listen(fd.get(), kBacklog) != 0) return errno_error("listen on", path.native(), errno);
  return fd;
}

}  // namespace berth::holder::serve
