#pragma once
// A real engine to run the cases against, and an image on it; what a case makes is gone with it.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "catch.h"
#include "holder/engine/engine.h"
#include "holder/engine/transport.h"
#include "tests/support/fakes.h"
#include "tests/support/parts.h"

namespace berth::test {

/// "a:b" as two sockets.
inline std::vector<std::string> sockets_in(std::string_view list) {
  std::vector<std::string> sockets;
  while (!list.empty()) {
    const auto colon = std::min(list.find(':'), list.size());
    if (colon > 0) sockets.emplace_back(list.substr(0, colon));
    list.remove_prefix(std::min(list.size(), colon + 1));
  }
  return sockets;
}

/// The engines of this run: the sockets that BERTH_TEST_DOCKER and BERTH_TEST_PODMAN name, and those of other
/// releases in BERTH_TEST_ENGINES, where the run has them.
inline std::vector<std::string> engine_sockets() {
  std::vector<std::string> sockets;
  std::string socket;
  if (part_present("BERTH_TEST_DOCKER", socket)) sockets.push_back(socket);
  if (part_present("BERTH_TEST_PODMAN", socket)) sockets.push_back(socket);
  const auto* more = std::getenv("BERTH_TEST_ENGINES");
  for (auto& other : sockets_in(more == nullptr ? "" : more)) sockets.push_back(std::move(other));
  return sockets;
}

/// Engines of the tests' own, that come back when they are killed.
inline std::vector<std::string> mortal_sockets() {
  std::string list;
  return part_present("BERTH_TEST_MORTALS", list) ? sockets_in(list) : std::vector<std::string>{};
}

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().detail);
  return std::move(result).value();
}
inline void must(Status status) {
  if (!status) FAIL(status.error().detail);
}
inline std::string code_of(const Error& error) {
  return std::to_string(static_cast<int>(error.code)) + " " + error.detail;
}

/// Names begin with "bt-" and a word of this run, so that runs side by side do not meet.
class EngineWorld {
 public:
  static constexpr const char* kImage = "berth-test-busybox:latest";

  explicit EngineWorld(std::string socket)
      : socket_(std::move(socket)), engine_(must(holder::engine::Engine::open(socket_, {}, seam_))) {
    if (!engine_->image(kImage)) import_image();
  }
  ~EngineWorld() {
    for (const auto& name : made_) static_cast<void>(engine_->remove(name, true, true));
    holder::engine::Transport transport{socket_};
    for (const auto& path : also_)
      static_cast<void>(transport.change({.method = "DELETE", .target = "/v1.41" + path}));
  }

  holder::engine::Engine& engine() { return *engine_; }
  ScriptedSeam& seam() { return seam_; }
  const std::string& socket() const { return socket_; }
  bool podman() const { return engine_->info().kind == holder::engine::Kind::podman; }

  std::string name(const std::string& what) {
    const auto full = "bt-" + run_ + "-" + what;
    made_.push_back(full);
    return full;
  }
  void also_remove(const std::string& path) { also_.push_back(path); }

  /// Runs `script` in a shell, on no network, marked as a test's.
  holder::client::ContainerSpec shell(const std::string& what, const std::string& script) {
    holder::client::ContainerSpec spec;
    spec.name = name(what);
    spec.image = kImage;
    spec.command = std::vector<std::string>{"sh", "-c", script};
    spec.network_mode = "none";
    spec.labels["berth-test"] = "engine";
    return spec;
  }
  std::string create(const holder::client::ContainerSpec& spec) { return must(engine_->create(spec)).id; }
  std::string run(const holder::client::ContainerSpec& spec) {
    const auto id = create(spec);
    must(engine_->start(id));
    return id;
  }
  std::string state(const std::string& id) { return must(engine_->inspect(id)).summary.state; }
  /// Waits, bounded, until the container is in the state.
  bool becomes(const std::string& id, const std::string& wanted) {
    for (int i = 0; i < 200; ++i) {
      if (state(id) == wanted) return true;
      ::usleep(50'000);
    }
    return false;
  }
  /// The engine's own API, for what berth does not do: pause, exec.
  holder::engine::Answer raw(const std::string& method, const std::string& path, const Json& body = {}) {
    holder::engine::Transport transport{socket_};
    return must(transport.change(
        {.method = method, .target = "/v1.41" + path, .body = body.is_null() ? "" : body.dump()}));
  }

 private:
  /// A tar of a static busybox, imported as our own image.
  void import_image() {
    TempFolder folder;
    const auto script = "set -e; cd " + folder.path().native() +
                        "; mkdir -p r/bin r/tmp r/etc r/proc r/sys r/dev; "
                        "cp \"$(command -v busybox)\" r/bin/busybox; for a in sh sleep echo printf true "
                        "false cat kill; do ln -s busybox r/bin/$a; done; "
                        "tar -C r -c .";
    const auto tar =
        must(run_process({"sh", "-c", script}, std::chrono::seconds{30}, seam_, {}, std::size_t{16} << 20));
    REQUIRE(tar.exit_status == 0);
    holder::engine::Transport transport{socket_};
    const auto answer =
        must(transport.change({.method = "POST",
                               .target = "/v1.41/images/create?fromSrc=-&repo=berth-test-busybox&tag=latest",
                               .body = tar.out,
                               .content_type = "application/x-tar"}));
    if (answer.status != 200) FAIL("import of the test image: " << answer.body);
  }

  std::string socket_;
  ScriptedSeam seam_;
  std::unique_ptr<holder::engine::Engine> engine_;
  std::string run_ = random_hex(4);
  std::vector<std::string> made_;
  std::vector<std::string> also_;
};

}  // namespace berth::test

/// A case runs on each of the engines; where there is none it was skipped, loudly.
#define EVERY_ENGINE(world)                                   \
  if (engine_sockets().empty()) return;                       \
  const auto socket = GENERATE(from_range(engine_sockets())); \
  CAPTURE(socket);                                            \
  EngineWorld world { socket }
