#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

namespace berth::test {

/// A real nats-server on a free loopback port with JetStream, in a folder of its own. Killed by pid and its
/// folder removed when this object goes. `authorization` is the text of the block, empty for none;
/// `files` are written beside the configuration.
class NatsServer {
 public:
  explicit NatsServer(std::string authorization = "", std::string more = "",
                      const std::map<std::string, std::string>& files = {});
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  std::string url() const { return "nats://127.0.0.1:" + std::to_string(port_); }
  const std::filesystem::path& folder() const { return folder_; }
  bool running() const { return pid_ > 0; }

  void start();
  void stop();    // SIGTERM, waits
  void kill();    // SIGKILL, waits
  void freeze();  // SIGSTOP: half dead
  void thaw();
  /// Writes the block anew and, if the server runs, lets it take it by SIGHUP as berth does.
  void set_authorization(const std::string& text);

  /// A file with this password, for BusConfig::password_file.
  std::filesystem::path password_file(const std::string& user, const std::string& password) const;

 private:
  void write_config() const;
  void end(int signal);

  std::filesystem::path folder_;
  std::string authorization_;
  std::string more_;
  int port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace berth::test
