#pragma once
#include <thread>

#include "base/file.h"
#include "tests/holder/boxes/boxes_world.h"
#include "tests/holder/boxes/child.h"

namespace berth::test {

/// An engine of the test's own, in namespaces of its own, that is killed and started as the test says.
class OwnEngine {
 public:
  explicit OwnEngine(holder::engine::Kind kind)
      : shell_({"unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--propagation", "private",
                std::string{BERTH_SOURCE_DIR} + "/tests/holder/boxes/own_engine.sh",
                kind == holder::engine::Kind::podman ? "podman" : "docker", folder_.path()}) {
    start();
  }
  std::string socket() const { return folder_ / "engine.sock"; }
  void kill() { told("kill"); }
  void start() {
    told("start");
    ScriptedSeam seam;
    for (int i = 0; i < 600; ++i) {
      if (holder::engine::Engine::open(socket(), {}, seam)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    FAIL("the engine did not come up: " << last_words());
  }

 private:
  void told(const std::string& word) {
    shell_.say(word);
    REQUIRE(shell_.hear() == word);
  }
  std::string last_words() {
    const auto log = have(read_file(folder_ / "log"));
    return log.size() > 2000 ? log.substr(log.size() - 2000) : log;
  }

  TempFolder folder_;
  Child shell_;
};

}  // namespace berth::test
