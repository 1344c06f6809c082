#pragma once
// berth-holder as a process, and what stands around it.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "base/json.h"
#include "base/owned.h"
#include "catch.h"
#include "tests/support/fakes.h"

namespace berth::test {

inline OwnedFd bound(int kind, const std::filesystem::path& path) {
  OwnedFd fd{::socket(AF_UNIX, kind | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  return fd;
}

/// An engine's socket that takes connections and says nothing.
class SilentEngine {
 public:
  explicit SilentEngine(const std::filesystem::path& path) : fd_(bound(SOCK_STREAM, path)) {
    REQUIRE(::listen(fd_.get(), 64) == 0);
  }
  OwnedFd accept() const {
    pollfd one{fd_.get(), POLLIN, 0};
    REQUIRE(::poll(&one, 1, 20'000) == 1);
    return OwnedFd{::accept4(fd_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
  }

 private:
  OwnedFd fd_;
};

inline bool is_open(const OwnedFd& connection) {
  pollfd one{connection.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) == 0;
}

/// Where systemd would listen for READY=1.
class NotifySocket {
 public:
  explicit NotifySocket(const std::filesystem::path& path) : fd_(bound(SOCK_DGRAM, path)) {}
  std::string hear() {
    pollfd one{fd_.get(), POLLIN, 0};
    if (::poll(&one, 1, 20'000) <= 0) return "silence";
    char buffer[256];
    const auto n = ::read(fd_.get(), buffer, sizeof(buffer));
    return {buffer, n > 0 ? static_cast<std::size_t>(n) : 0};
  }

 private:
  OwnedFd fd_;
};

class HolderProcess {
 public:
  HolderProcess(const std::filesystem::path& config, const std::filesystem::path& notify) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("NOTIFY_SOCKET", notify.c_str(), 1);
      ::setenv("WATCHDOG_USEC", "200000", 1);
      ::unsetenv("WATCHDOG_PID");
      const int log = ::open((config.native() + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      ::dup2(log, 2);
      ::execl(BERTH_HOLDER, "berth-holder", "run", "--config", config.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~HolderProcess() {
    if (pid_ > 0) end(SIGKILL);
  }
  int end(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

inline Json config_in(const TempFolder& folder) {
  return {{"machine", "alder"},
          {"engine", {{"socket", (folder / "no-engine.sock").native()}}},
          {"socket", (folder / "h.sock").native()},
          {"socket_uids", {::getuid()}},
          {"store", (folder / "h.db").native()},
          {"seat", (folder / "seat.json").native()}};
}

}  // namespace berth::test
