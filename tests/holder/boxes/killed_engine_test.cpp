#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "holder/boxes/docker/docker_runtime.h"
#include "tests/holder/boxes/boxes_world.h"
#include "tests/holder/boxes/child.h"

// An engine of the test's own, in a network namespace of its own, killed right before each act of a box's
// life.
namespace berth::test {
namespace {

using namespace holder::boxes;

class OwnEngine {
 public:
  OwnEngine() { start(); }
  ~OwnEngine() {
    ScriptedSeam seam;
    engine_.reset();
    // What the killed ones left runs in the folder's name: containerd and its shims.
    static_cast<void>(run_process(
        {"sh", "-c",
         "for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -qF " +
             folder_.path().native() +
             " && kill -9 ${p#/proc/}; done; sleep 0.3; "
             "awk -v f=" +
             folder_.path().native() +
             "/ 'index($5, f) == 1 { print $5 }' /proc/self/mountinfo | sort -r | xargs -r umount -l"},
        std::chrono::seconds{20}, seam));
  }
  std::string socket() const { return folder_ / "docker.sock"; }
  /// Its containerd too: one whose dockerd is gone answers nobody, and keeps the next from starting one.
  void kill() {
    engine_->kill();
    const auto file = folder_ / "exec/containerd/containerd.pid";
    const auto text = read_file(file);
    const auto pid = text ? std::atoi(text->c_str()) : 0;
    if (pid > 1) ::kill(pid, SIGKILL);
    std::filesystem::remove(file);  // a dead one that nobody waits for passes for running
  }
  void start() {
    engine_ = std::make_unique<Child>(
        std::vector<std::string>{"unshare", "-n", "sh", "-c",
                                 "exec dockerd --data-root $0/data --exec-root $0/exec -p $0/pid -H "
                                 "unix://$0/docker.sock >>$0/log 2>&1",
                                 folder_.path()});
    std::filesystem::remove(folder_ / "pid");
    ScriptedSeam seam;
    for (int i = 0; i < 600; ++i) {
      if (holder::engine::Engine::open(socket(), {}, seam)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds{100});
    }
    FAIL("dockerd did not come up: " << last_words());
  }

 private:
  std::string last_words() {
    const auto log = have(read_file(folder_ / "log"));
    return log.size() > 2000 ? log.substr(log.size() - 2000) : log;
  }

  TempFolder folder_;
  std::unique_ptr<Child> engine_;
};

/// Lets the n-th act through to an engine that died just before.
class KillingSeam final : public Seam {
 public:
  KillingSeam(OwnEngine& engine, std::size_t at) : engine_(engine), left_(at) {}
  Status before(std::string_view, std::string_view) override {
    if (left_ == 0) {
      engine_.kill();
    } else {
      --left_;
    }
    return {};
  }

 private:
  OwnEngine& engine_;
  std::size_t left_;
};

}  // namespace

TEST_CASE("an engine killed in the middle of any method leaves a box unknown, and it is repaired or removed",
          "[boxes][docker][.slow]") {
  std::string here;
  if (!part_present("BERTH_TEST_DOCKER", here)) return;
  OwnEngine engine;
  ScriptedSeam calm;
  auto world = engine_world(engine.socket(), calm);
  MemoryLedger ledger;
  const auto box = BoxId::parse("k").value();
  const auto whole = docker::make_docker(world->config(), {engine.socket(), {}}, ledger, calm);
  for (std::size_t n = 0; n < 30; ++n) {
    KillingSeam killer{engine, n};
    const auto runtime = docker::make_docker(world->config(), {engine.socket(), {}}, ledger, killer);
    const auto spec = world->spec();
    const auto life = [&]() -> Status {
      TRY(runtime->create_storage(box));
      TRY(runtime->ensure(box, spec));
      TRY(runtime->start(box, spec));
      TRY(runtime->run(Place::of(box), {{"true"}, {}, {}}, {}));
      TRY(runtime->stop(box));
      TRY(runtime->remove(box));
      return runtime->remove_storage(box);
    };
    const auto lived = life();
    if (lived) break;  // there are no more acts
    INFO("killed before act " << n << ": " << lived.error().detail);
    CHECK(lived.error().code == Errc::engine_unreachable);
    CHECK(whole->state(box) == State::unknown);
    engine.start();
    have(world->start_proxy());
    if (n % 2 == 0) {
      have(whole->create_storage(box));
      have(whole->start(box, spec));
      CHECK(whole->state(box) == State::running);
      CHECK(have(whole->isolated(box)));
    }
    have(whole->remove(box));
    have(whole->remove_storage(box));
    CHECK(have(whole->inventory()).empty());
  }
}

}  // namespace berth::test
