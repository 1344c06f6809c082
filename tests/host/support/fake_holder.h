#pragma once
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "base/owned.h"
#include "base/result.h"

namespace berth::test {

/// A holder on a unix socket, as far as the host's side of HTTP sees one: it keeps containers in memory and
/// writes down every verb it was asked. Stopped, its socket is gone.
class FakeHolder {
 public:
  explicit FakeHolder(std::filesystem::path socket);
  ~FakeHolder();
  FakeHolder(const FakeHolder&) = delete;
  FakeHolder& operator=(const FakeHolder&) = delete;

  void start();
  void stop();

  std::vector<std::string> asked() const;  // "list", "create web", …
  std::vector<Json> containers() const;
  void add(const std::string& name, const std::string& image, const std::string& assignment = "");
  void remove_by_hand(const std::string& name);
  void set_engine(bool live_restore, std::vector<std::string> registries, const std::string& reloaded_at);

  Json seat = {{"machine", "birch"},
               {"seat", "node-container-runtime"},
               {"module", "docker"},
               {"held", true},
               {"engine", {{"socket", "/run/docker.sock"}, {"answering", true}}}};

 private:
  void serve(std::stop_token stop);
  void answer(int connection);
  Result<Json> call(const std::string& verb, const Json& params);
  Json* find(const std::string& container);
  Json make(const std::string& name, const std::string& image, const std::string& assignment, bool running);

  std::filesystem::path socket_;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  std::vector<Json> containers_;
  Json engine_ = {{"name", "Docker Engine"},
                  {"version", "20.10.24"},
                  {"live_restore", false},
                  {"insecure_registries", Json::array()},
                  {"logging_driver", "json-file"}};
  Json last_reload_;
  int made_ = 0;
  OwnedFd listener_;
  std::jthread thread_;
};

}  // namespace berth::test
