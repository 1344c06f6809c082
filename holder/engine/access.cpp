#include "holder/engine/access.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "base/guarded.h"
#include "holder/engine/descriptor.h"

extern char** environ;

namespace berth::holder::engine {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};

Guarded<AccessHelp>& help() {
  static Guarded<AccessHelp> given;
  return given;
}
std::atomic<bool>& with_help() {
  static std::atomic<bool> turned = false;
  return turned;
}

/// A descriptor and the child that is to send over its other end.
struct Asked {
  OwnedFd ours, said;  // `said`: what the child writes to its standard error
  pid_t child = -1;
};

Result<Asked> start_sudo(const std::string& program) {
  std::array<int, 2> pair{}, pipe{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    return fail(Errc::failed, std::string{"make a pair of sockets: "} + std::strerror(errno));
  Asked asked;
  asked.ours.reset(pair[0]);
  const OwnedFd theirs{pair[1]};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0)
    return fail(Errc::failed, std::string{"make a pipe: "} + std::strerror(errno));
  asked.said.reset(pipe[0]);
  const OwnedFd saying{pipe[1]};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, theirs.get(), 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, saying.get(), 2);
  std::string sudo = "sudo", quiet = "-n", path = program, what = "engine-socket";
  std::array<char*, 5> arguments{sudo.data(), quiet.data(), path.data(), what.data(), nullptr};
  const int error = ::posix_spawnp(&asked.child, "sudo", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return fail(Errc::failed, std::string{"sudo cannot be started: "} + std::strerror(error));
  return asked;
}

/// Until there is something to read, or its other end is gone.
bool readable(int fd, Steady::time_point until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Steady::now()).count();
    pollfd one{fd, POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0;
  }
}

/// The first line of what was said, bounded; the child may be gone.
std::string first_line(int fd) {
  std::string text(512, '\0');
  const auto n = readable(fd, Steady::now()) ? ::read(fd, text.data(), text.size()) : 0;
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text.substr(0, text.find('\n'));
}

/// sudo is root's: it cannot be killed from here, but ends once its other end is closed.
void reap(pid_t child, Steady::time_point until) {
  for (;;) {
    const auto ended = ::waitpid(child, nullptr, WNOHANG);
    if (ended != 0 && !(ended < 0 && errno == EINTR)) return;
    if (Steady::now() > until) return;
    ::poll(nullptr, 0, 5);
  }
}

void by_sudo(const std::string& program, Connected& result) {
  auto asked = start_sudo(program);
  if (!asked) {
    result.why = asked.error().detail;
    return;
  }
  const auto until = Steady::now() + kPatience;
  if (readable(asked->ours.get(), until)) result.fd = receive_descriptor(asked->ours.get());
  asked->ours.reset();
  reap(asked->child, until);
  if (result.fd) return;
  const auto said = first_line(asked->said.get());
  result.why =
      "sudo -n " + program + " engine-socket gave none: " + (said.empty() ? "it said nothing" : said);
}

/// Whoever has the right groups needs no help; whoever may not gain any cannot be helped.
void ask_for_access(const std::string& socket, Connected& result) {
  const auto given = help().with([](const auto& current) { return current; });
  if (given.program.empty() || ::geteuid() == 0) return;
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return by_sudo(given.program, result);
  result.why =
      "this process is in no group that may use it, and under no_new_privs sudo cannot help: it ends, to be "
      "started "
      "anew with the groups its account has now";
  if (given.give_up) given.give_up("engine socket " + socket + ": " + result.why);
}

}  // namespace

void set_access_help(AccessHelp given) {
  help().with([&](auto& current) { current = std::move(given); });
  with_help() = false;
}

std::string sudoers_line(const std::string& account, const std::string& program) {
  return account + " ALL=(root) NOPASSWD: " + program + " engine-socket";
}

bool turn_to_help() {
  const bool given = help().with([](const auto& current) { return !current.program.empty(); });
  return given && ::geteuid() != 0 && !with_help().exchange(true);
}
bool connects_with_help() { return with_help(); }

Connected connect_engine(const std::string& socket) {
  Connected result;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  result.os_error = ENAMETOOLONG;
  if (socket.size() >= sizeof address.sun_path) return result;
  socket.copy(address.sun_path, sizeof address.sun_path - 1);
  result.fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (result.fd &&
      ::connect(result.fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    result.os_error = 0;
    return result;
  }
  result.os_error = errno;
  result.fd.reset();
  if (result.os_error == EACCES) ask_for_access(socket, result);
  return result;
}

Status hand_over_engine(const std::string& socket) {
  const auto made = connect_engine(socket);
  if (!made.fd)
    return fail(Errc::engine_unreachable, "engine socket " + socket + ": " + std::strerror(made.os_error));
  return send_descriptor(STDIN_FILENO, made.fd.get());
}

}  // namespace berth::holder::engine
