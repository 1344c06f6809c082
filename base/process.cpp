#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/file.h"
#include "base/owned.h"

extern char** environ;

namespace berth {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

struct Pipe {
  OwnedFd read;
  OwnedFd write;
};

Result<Pipe> open_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) return errno_error("make", "a pipe", errno);
  return Pipe{OwnedFd{fds[0]}, OwnedFd{fds[1]}};
}

Result<pid_t> spawn(const std::vector<std::string>& argv, const Pipe& in, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_adddup2(&actions, in.read.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
  sigset_t defaults;
  sigset_t none;
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return errno_error("run", argv[0], error);
  return pid;
}

int millis_left(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return left.count() <= 0 ? 0 : static_cast<int>(std::min<std::int64_t>(left.count(), 1'000'000));
}

/// Reads what is there; false at the end of the stream.
bool drain(int fd, std::string& into, std::size_t limit) {
  std::array<char, 65536> block;
  const auto n = ::read(fd, block.data(), block.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (into.size() < limit) into.append(block.data(), std::min(static_cast<std::size_t>(n), limit - into.size()));
  return n > 0;
}

/// Writes what fits; false when all is written or the child no longer reads.
bool feed(int fd, std::string_view& input) {
  const auto n = ::write(fd, input.data(), input.size());
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  input.remove_prefix(static_cast<std::size_t>(n));
  return !input.empty();
}

/// A child that stops reading must not end this process. Only this thread's mask is touched: the action is
/// every thread's, and two runs at once would give each other's back.
class NoBrokenPipe {
 public:
  NoBrokenPipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoBrokenPipe(const NoBrokenPipe&) = delete;
  NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
  ~NoBrokenPipe() {
    constexpr timespec kNow{};
    while (!was_pending_ && ::sigtimedwait(&pipe_, nullptr, &kNow) == -1 && errno == EINTR) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_;
  sigset_t before_;
  bool was_pending_ = false;
};

/// Pumps all three streams until both outputs end; false when the deadline passed first.
bool pump(Pipe& in, Pipe& out, Pipe& err, std::string_view input, Finished& finished, std::size_t limit,
          Deadline deadline) {
  ::fcntl(in.write.get(), F_SETFL, O_NONBLOCK);
  if (input.empty()) in.write.reset();
  while (out.read || err.read) {
    std::array<pollfd, 3> fds{pollfd{out.read.get(), POLLIN, 0}, pollfd{err.read.get(), POLLIN, 0},
                              pollfd{in.write.get(), POLLOUT, 0}};
    const int wait = millis_left(deadline);
    const int ready = ::poll(fds.data(), fds.size(), wait);
    if (ready == 0 && wait == 0) return false;
    if (ready <= 0) continue;
    if (fds[0].revents != 0 && !drain(out.read.get(), finished.out, limit)) out.read.reset();
    if (fds[1].revents != 0 && !drain(err.read.get(), finished.err, limit)) err.read.reset();
    if (fds[2].revents != 0 && !feed(in.write.get(), input)) in.write.reset();
  }
  return true;
}

/// Waits for the child until the deadline; false when it is still there.
bool reap(pid_t pid, int& status, Deadline deadline) {
  for (;;) {
    const auto got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) return true;
    if (got < 0 && errno != EINTR) return true;
    if (millis_left(deadline) == 0) return false;
    ::poll(nullptr, 0, 2);
  }
}

}  // namespace

Result<Finished> run_process(const std::vector<std::string>& argv, std::chrono::milliseconds limit, Seam& seam,
                             std::string_view input, std::size_t max_output) {
  if (argv.empty()) return fail(Errc::bad_request, "there is no command to run");
  TRY(seam.before("process.run", argv[0]));
  auto in = TRY(open_pipe());
  auto out = TRY(open_pipe());
  auto err = TRY(open_pipe());
  const auto deadline = std::chrono::steady_clock::now() + limit;
  const pid_t pid = TRY(spawn(argv, in, out, err));
  in.read.reset();
  out.write.reset();
  err.write.reset();
  Finished finished;
  int status = 0;
  bool ended = false;
  {
    const NoBrokenPipe quiet;
    ended = pump(in, out, err, input, finished, max_output, deadline) && reap(pid, status, deadline);
  }
  if (!ended) {
    ::kill(-pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    return fail(Errc::timeout, argv[0] + " did not end within " + std::to_string(limit.count()) + " ms");
  }
  finished.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

Result<std::string> run_checked(const std::vector<std::string>& argv, std::chrono::milliseconds limit, Seam& seam) {
  auto finished = TRY(run_process(argv, limit, seam));
  if (finished.exit_status == 0) return std::move(finished.out);
  std::string line;
  for (const auto& argument : argv) line += (line.empty() ? "" : " ") + argument;
  const auto& said = finished.err.empty() ? finished.out : finished.err;
  return fail(Errc::failed, line + ": exit status " + std::to_string(finished.exit_status) + ": " +
                                said.substr(0, 2000));
}

}  // namespace berth
