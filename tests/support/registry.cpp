#include "tests/support/registry.h"

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

#include "base/process.h"
#include "tests/support/free_port.h"

extern char** environ;

namespace berth::test {
namespace {

bool answers_at(const std::string& address, int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  ::inet_pton(AF_INET, address.c_str(), &at.sin_addr);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool connected = ::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0;
  ::close(fd);
  return connected;
}

/// An authority, and a certificate of it for the address.
void make_certificate(const std::filesystem::path& folder, const std::string& address) {
  const auto at = folder.native();
  const std::string script =
      "set -e; cd " + at +
      "; openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=berth-test-ca -keyout ca.key -out ca.crt"
      "; openssl req -newkey rsa:2048 -nodes -subj /CN=registry -keyout server.key -out server.csr"
      "; printf 'subjectAltName=IP:%s\\n' " + address + " >san"
      "; openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -extfile san -out server.crt";
  const auto made = run_process({"sh", "-c", script}, std::chrono::seconds{60}, no_faults());
  if (!made || made->exit_status != 0) throw std::runtime_error("openssl makes no certificate");
}

}  // namespace

Registry::Registry(std::string tls_address) : tls_address_(std::move(tls_address)) {
  std::string pattern = (std::filesystem::temp_directory_path() / "berth-registry-XXXXXX").native();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
  plain_port_ = free_port();
  plain_ = start("plain", plain(), false);
  if (tls_address_.empty()) return;
  make_certificate(folder_, tls_address_);
  tls_port_ = free_port();
  tls_ = start("tls", tls(), true);
}

Registry::~Registry() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

pid_t Registry::start(const std::string& name, const std::string& listen, bool tls) {
  const auto config = folder_ / (name + ".yml");
  {
    std::ofstream out{config};
    out << "version: 0.1\nlog: {level: warn}\nstorage: {filesystem: {rootdirectory: " << (folder_ / "data").native()
        << "}}\nhttp:\n  addr: " << listen << "\n";
    if (tls) {
      out << "  tls: {certificate: " << (folder_ / "server.crt").native() << ", key: " << (folder_ / "server.key").native()
          << "}\n";
    }
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto log = (folder_ / (name + ".log")).native();
  posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  std::string program = "docker-registry", verb = "serve", path = config.native();
  std::array<char*, 4> arguments{program.data(), verb.data(), path.data(), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("docker-registry is needed for this test and cannot be started");
  const auto colon = listen.rfind(':');
  for (int i = 0; i < 1000; ++i) {
    if (answers_at(listen.substr(0, colon), std::stoi(listen.substr(colon + 1)))) return pid;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  throw std::runtime_error("docker-registry does not answer at " + listen);
}

void Registry::stop() {
  for (auto* pid : {&plain_, &tls_}) {
    if (*pid <= 0) continue;
    ::kill(*pid, SIGKILL);
    int status = 0;
    ::waitpid(*pid, &status, 0);
    *pid = 0;
  }
}

}  // namespace berth::test
