#pragma once
#include <chrono>
#include <filesystem>
#include <string>

#include "base/guarded.h"
#include "base/result.h"

namespace berth::holder::boxes::kubernetes {

/// Where the API server is, and who speaks to it.
struct Credentials {
  std::string server;  // "https://10.0.0.1:6443", no slash at the end
  std::string ca_pem;  // empty: the system's
  std::string cert_pem, key_pem;
  std::string token;
  std::filesystem::path token_file;  // a token that is renewed in place: read again now and then
  std::string name_space;            // of the context; empty when it says none

  /// The current context of a kubeconfig. Errors name the file and the member. What would run another program
  /// (exec, auth-provider) and what would trust anybody (insecure-skip-tls-verify) is refused.
  static Result<Credentials> from_kubeconfig(const std::filesystem::path& file);
  /// Those that Kubernetes puts into a pod. `folder` holds token, ca.crt and namespace.
  static Result<Credentials> in_cluster(
      const std::filesystem::path& folder = "/var/run/secrets/kubernetes.io/serviceaccount");
};

/// The bearer token as it is now. Kubernetes renews one in a file well before it ends: it is read again every
/// minute, and when the API server no longer takes it. Any thread.
class Token {
 public:
  Token(std::string fixed, std::filesystem::path file)
      : file_(std::move(file)), now_(Read{std::move(fixed), {}}) {}
  /// Empty without one.
  Result<std::string> text();
  /// Read again by the next `text`. False when there is no file to read again.
  bool renew();

 private:
  struct Read {
    std::string text;
    std::chrono::steady_clock::time_point at;
  };
  const std::filesystem::path file_;
  Guarded<Read> now_;  // once there is a file, the one read last
};

}  // namespace berth::holder::boxes::kubernetes
