#include "tests/support/nats_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/free_port.h"

extern char** environ;

namespace berth::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool accepts(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto address = loopback(port);
  const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(fd);
  return connected;
}

std::filesystem::path new_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-nats-XXXXXX").native();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  return pattern;
}

pid_t spawn_server(const std::string& config, const std::string& log) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::string program = "nats-server";
  std::string option = "-c";
  std::string path = config;
  std::array<char*, 4> arguments{program.data(), option.data(), path.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, "nats-server", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("nats-server is needed for this test and cannot be started");
  return pid;
}

}  // namespace

NatsServer::NatsServer(std::string authorization, std::string more,
                       const std::map<std::string, std::string>& files)
    : folder_(new_folder()),
      authorization_(std::move(authorization)),
      more_(std::move(more)),
      port_(free_port()) {
  for (const auto& [name, text] : files) std::ofstream{folder_ / name} << text;
  start();
}

NatsServer::~NatsServer() {
  kill();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void NatsServer::write_config() const {
  std::ofstream{folder_ / "nats.conf"} << "listen: \"127.0.0.1:" << port_ << "\"\n"
                                       << "jetstream { store_dir: \"" << (folder_ / "js").native() << "\" }\n"
                                       << more_ << "\n"
                                       << authorization_ << "\n";
}

void NatsServer::start() {
  if (running()) return;
  write_config();
  pid_ = spawn_server(folder_ / "nats.conf", folder_ / "log");
  for (int i = 0; i < 6000; ++i) {
    if (accepts(port_)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  throw std::runtime_error("nats-server does not answer");
}

void NatsServer::end(int signal) {
  if (!running()) return;
  ::kill(pid_, SIGCONT);
  ::kill(pid_, signal);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
}

void NatsServer::stop() { end(SIGTERM); }
void NatsServer::kill() { end(SIGKILL); }
void NatsServer::freeze() { ::kill(pid_, SIGSTOP); }
void NatsServer::thaw() { ::kill(pid_, SIGCONT); }

void NatsServer::set_authorization(const std::string& text) {
  authorization_ = text;
  write_config();
  if (running()) ::kill(pid_, SIGHUP);
}

std::filesystem::path NatsServer::password_file(const std::string& user, const std::string& password) const {
  const auto path = folder_ / (user + ".password");
  std::ofstream{path} << password << "\n";
  return path;
}

}  // namespace berth::test
