#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>

namespace berth::test {

/// Debian's docker-registry on a free port, ended by pid and its folder removed when this object goes. Plain
/// HTTP on loopback; with `tls_address` also by TLS at that address, by a certificate of its own authority.
class Registry {
 public:
  explicit Registry(std::string tls_address = "");
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  std::string plain() const { return "127.0.0.1:" + std::to_string(plain_port_); }
  std::string tls() const { return tls_address_ + ":" + std::to_string(tls_port_); }
  std::filesystem::path authority() const { return folder_ / "ca.crt"; }
  void stop();

 private:
  pid_t start(const std::string& name, const std::string& listen, bool tls);

  std::filesystem::path folder_;
  std::string tls_address_;
  int plain_port_ = 0, tls_port_ = 0;
  pid_t plain_ = 0, tls_ = 0;
};

}  // namespace berth::test
