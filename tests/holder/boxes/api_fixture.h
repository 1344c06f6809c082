#pragma once
// The tests' own API server (api_server.py): every request it is sent must be one that Kubernetes' document
// knows.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/json.h"
#include "holder/boxes/kubernetes/api.h"
#include "tests/holder/boxes/boxes_world.h"

namespace berth::test {

class ApiServer {
 public:
  ApiServer() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    input_.reset(ends[1]);
    const OwnedFd reading{ends[0]};
    const auto port_file = folder_ / "port";
    const auto script = std::string{BERTH_SOURCE_DIR} + "/tests/holder/boxes/api_server.py";
    const auto document =
        std::string{BERTH_SOURCE_DIR} + "/tests/holder/boxes/kubernetes-openapi-subset.json";
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(reading.get(), 0);
      ::execlp("python3", "python3", script.c_str(), document.c_str(), port_file.c_str(), nullptr);
      ::_exit(127);
    }
    for (int i = 0; i < 300 && !std::filesystem::exists(port_file); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    url_ = "http://127.0.0.1:" + have(read_file(port_file));
  }
  ~ApiServer() {
    input_.reset();  // it ends with its input
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  /// Stopped, it takes connections and answers nothing; killed, it takes none.
  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  const std::string& url() const { return url_; }
  holder::boxes::kubernetes::Credentials credentials() const {
    holder::boxes::kubernetes::Credentials credentials;
    credentials.server = url_;
    return credentials;
  }
  holder::boxes::kubernetes::Api api() { return {credentials(), seam_}; }
  /// Asks for trouble; answers what it has refused and what it has.
  Json control(const Json& trouble = Json::object()) {
    auto caller = api();
    return have(caller.create("/control", trouble));
  }

 private:
  TempFolder folder_;
  ScriptedSeam seam_;
  OwnedFd input_;
  pid_t pid_ = 0;
  std::string url_;
};

}  // namespace berth::test
