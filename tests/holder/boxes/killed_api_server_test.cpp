#include <signal.h>

#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/process.h"
#include "holder/boxes/conformance/kubernetes_world.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"
#include "tests/holder/boxes/boxes_world.h"
#include "tests/holder/boxes/dying.h"

// The API server of the practice cluster, killed in the middle of each method and started again. It wants
// BERTH_TEST_KUBECONFIG of a cluster that scripts/practice-cluster made (BERTH_CLUSTER_DIR as there).
namespace berth::test {
namespace {

using namespace holder::boxes;
using conformance::KubernetesWorld;
using kubernetes::KubernetesRuntime;
using std::chrono::milliseconds;

class MortalServer {
 public:
  ~MortalServer() { static_cast<void>(told("again")); }
  /// At once: a script would take longer to start than a request takes.
  void kill() {
    const auto* named = std::getenv("BERTH_CLUSTER_DIR");
    const std::filesystem::path state = named != nullptr ? named : "/var/tmp/berth-cluster";
    const auto pid = std::atoi(have(read_file(state / "kube-apiserver.pid")).c_str());
    const auto command = read_file("/proc/" + std::to_string(pid) + "/cmdline");
    if (!command || command->find("kube-apiserver") == std::string::npos) return;
    REQUIRE(::kill(pid, SIGKILL) == 0);
  }
  void start() { have(told("again")); }

 private:
  Status told(const std::string& what) {
    ScriptedSeam seam;
    const auto script = std::string{BERTH_SOURCE_DIR} + "/scripts/practice-cluster";
    const auto done = TRY(run_process({script, what}, std::chrono::seconds{180}, seam));
    return done.exit_status == 0 ? Status{} : fail(Errc::failed, what + ": " + done.out + done.err);
  }
};

class MortalCluster {
 public:
  explicit MortalCluster(const std::string& kubeconfig) {
    KubernetesWorld::Options options;
    options.kubeconfig = kubeconfig;
    world_ = have(KubernetesWorld::open(options, calm_));
    whole_ = make(calm_);
  }
  std::unique_ptr<KubernetesRuntime> make(Seam& seam) {
    return std::make_unique<KubernetesRuntime>(world_->config(), world_->credentials(), ledger_, seam);
  }
  /// From there on everything works; either way there is a whole box, and then nothing.
  void repaired(bool ensure_first) {
    server_.start();
    if (ensure_first) {
      running();
      CHECK(whole_->state(box_) == State::running);
      CHECK(gets_isolated());
    }
    nothing_stays_of(box_, *whole_);
  }
  /// A node that could not tell of itself for 40 s has no ready pods, and so no proxy, until it is heard again.
  bool gets_isolated() {
    for (int i = 0; i < 240 && !have(whole_->isolated(box_)); ++i)
      std::this_thread::sleep_for(milliseconds{500});
    return have(whole_->isolated(box_));
  }
  void running() {
    have(whole_->create_storage(box_));
    have(whole_->ensure(box_, spec()));
    have(whole_->start(box_, spec()));
  }
  BoxSpec spec() { return world_->spec(); }
  const BoxId& box() const { return box_; }
  MortalServer& server() { return server_; }
  KubernetesRuntime& whole() { return *whole_; }

 private:
  ScriptedSeam calm_;
  MortalServer server_;
  std::unique_ptr<KubernetesWorld> world_;
  MemoryLedger ledger_;
  std::unique_ptr<KubernetesRuntime> whole_;
  BoxId box_ = BoxId::parse("mortal").value();
};

/// Whether the server died of it.
bool dies_at(MortalCluster& cluster, std::size_t act, milliseconds after) {
  Dying dying{[&cluster] { cluster.server().kill(); }, act, after};
  const auto runtime = cluster.make(dying);
  const auto& box = cluster.box();
  const auto life = [&]() -> Status {
    TRY(runtime->create_storage(box));
    TRY(runtime->ensure(box, cluster.spec()));
    TRY(runtime->start(box, cluster.spec()));
    TRY(runtime->stop(box));
    TRY(runtime->remove(box));
    return runtime->remove_storage(box);
  };
  const auto lived = life();
  if (!dying.fired()) return false;
  INFO("killed " << after.count() << " ms after act " << act << ": "
                 << (lived ? std::string{"all was done"} : lived.error().detail));
  if (!lived) CHECK(lived.error().code == Errc::engine_unreachable);
  CHECK(cluster.whole().state(box) == State::unknown);
  CHECK(!cluster.whole().health().answering);
  cluster.repaired((act + (after.count() > 0 ? 1 : 0)) % 2 == 0);
  return true;
}

template <class T>
bool unreachable(const T& answer) {
  return !answer && answer.error().code == Errc::engine_unreachable;
}

}  // namespace

TEST_CASE(
    "an API server killed in the middle of any method leaves a box unknown, and it is repaired or removed",
    "[boxes][.cluster]") {
  std::string kubeconfig;
  if (!part_present("BERTH_TEST_KUBECONFIG", kubeconfig)) return;
  MortalCluster cluster{kubeconfig};
  std::size_t acts = 0;
  while (acts < 20 && dies_at(cluster, acts, milliseconds{0})) ++acts;
  CHECK(acts >= 6);  // claim, policy and pod, each made and removed
  for (std::size_t act = 0; act < acts; ++act) dies_at(cluster, act, milliseconds{8});
  for (std::size_t act = 2; act < 4; ++act) dies_at(cluster, act, milliseconds{700});
  CHECK(have(cluster.whole().inventory()).empty());
}

TEST_CASE("an API server killed under what only asks, and under a running command, is told as that",
          "[boxes][.cluster]") {
  std::string kubeconfig;
  if (!part_present("BERTH_TEST_KUBECONFIG", kubeconfig)) return;
  MortalCluster cluster{kubeconfig};
  cluster.running();
  auto& runtime = cluster.whole();
  const auto place = Place::of(cluster.box());
  auto stream = have(runtime.spawn(place, {{"sleep", "7704"}, {}, {}}, {}));
  std::jthread death{[&] {
    std::this_thread::sleep_for(milliseconds{1500});
    cluster.server().kill();
  }};
  CHECK(unreachable(runtime.run(place, {{"sleep", "7703"}, {}, {}}, {})));
  death.join();
  Result<std::optional<Stream::Piece>> piece = std::optional<Stream::Piece>{};
  for (int i = 0; i < 40 && piece; ++i) piece = stream->read(milliseconds{500});
  CHECK(unreachable(piece));
  stream.reset();  // ends its process, when it can
  CHECK(unreachable(runtime.isolated(cluster.box())));
  CHECK(unreachable(runtime.proxy_url(cluster.box())));
  CHECK(unreachable(runtime.missing_storage(cluster.box())));
  CHECK(unreachable(runtime.details(cluster.box())));
  CHECK(unreachable(runtime.image_of(cluster.box())));
  CHECK(unreachable(runtime.inventory()));
  CHECK(unreachable(runtime.deployment_images()));
  CHECK(unreachable(runtime.prepare()));
  CHECK(unreachable(runtime.remove_object({"pod", "box-mortal", {}})));
  CHECK(unreachable(runtime.start_login(LoginId::parse("mortal").value())));
  CHECK(unreachable(runtime.spawn(place, {{"cat"}, {}, {}}, {})));
  CHECK(runtime.state(cluster.box()) == State::unknown);
  cluster.server().start();
  CHECK(runtime.state(cluster.box()) == State::running);  // nobody stopped it
  // What could not be killed then, is killed before anything else is started there.
  const Command left{{"sh", "-c",
                      "n=0; for p in /proc/[0-9]*; do case $(tr '\\0' ' ' <$p/cmdline 2>/dev/null) in "
                      "'sleep 770'*) n=$((n+1));; esac; done; echo $n"},
                     {},
                     {}};
  CHECK(have(runtime.run(place, left, {})).out == "0\n");
  cluster.repaired(false);
  CHECK(have(runtime.inventory()).empty());
}

}  // namespace berth::test
