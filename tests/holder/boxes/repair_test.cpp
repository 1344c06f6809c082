#include <algorithm>

#include "base/hash.h"
#include "holder/boxes/docker/docker_runtime.h"
#include "tests/holder/boxes/boxes_world.h"

// A box cut off in the middle, on real engines: what the next ensure or remove makes of it.
namespace berth::test {
namespace {

using namespace holder::boxes;
using conformance::EngineWorld;

/// Writes down nothing when it is told to, as a full disk would.
class FullLedger final : public Ledger {
 public:
  explicit FullLedger(Ledger& kept) : kept_(kept) {}
  Result<std::optional<std::string>> recorded(const Place& place) override { return kept_.recorded(place); }
  Status record(const Place& place, const std::string& id) override {
    return full ? fail(Errc::failed, "the disk is full") : kept_.record(place, id);
  }
  Status forget(const Place& place) override { return kept_.forget(place); }
  bool full = true;

 private:
  Ledger& kept_;
};

class Broken {
 public:
  explicit Broken(const std::string& socket) : socket_(socket), world_(engine_world(socket, calm_)) {
    whole_ = make({});
  }
  ~Broken() {
    for (const auto& object : have(whole_->inventory()))
      if (object.box == box_.text()) static_cast<void>(whole_->remove_object(object));
  }
  /// A runtime over the same ledger, whose acts go through that seam.
  std::unique_ptr<Runtime> make(Seam* seam, Ledger* ledger = nullptr) {
    return docker::make_docker(world_->config(), {socket_, {}}, ledger == nullptr ? ledger_ : *ledger,
                               seam == nullptr ? static_cast<Seam&>(calm_) : *seam);
  }
  Status live(Runtime& runtime) {
    TRY(runtime.create_storage(box_));
    TRY(runtime.ensure(box_, spec()));
    TRY(runtime.start(box_, spec()));
    TRY(runtime.stop(box_));
    TRY(runtime.remove(box_));
    return runtime.remove_storage(box_);
  }
  /// After whatever happened: either way there is a whole box, and then nothing.
  void repaired(bool ensure_first) {
    if (ensure_first) {
      have(whole_->create_storage(box_));
      have(whole_->ensure(box_, spec()));
      have(whole_->start(box_, spec()));
      CHECK(whole_->state(box_) == State::running);
      CHECK(have(whole_->isolated(box_)));
    }
    nothing_stays_of(box_, *whole_);
  }
  BoxSpec spec() { return world_->spec(); }
  const BoxId& box() const { return box_; }
  Runtime& whole() { return *whole_; }
  MemoryLedger& ledger() { return ledger_; }

 private:
  std::string socket_;
  ScriptedSeam calm_;
  std::unique_ptr<EngineWorld> world_;
  MemoryLedger ledger_;
  std::unique_ptr<Runtime> whole_;
  BoxId box_ = BoxId::parse("r" + random_hex(4)).value();
};

/// The name of the n-th act of a whole life, for each of them.
std::vector<std::string> acts_of_a_life(Broken& broken) {
  ScriptedSeam seam;
  const auto runtime = broken.make(&seam);
  have(broken.live(*runtime));
  return seam.acts();
}

void cut_at(Broken& broken, const std::vector<std::string>& acts, std::size_t i) {
  ScriptedSeam cut;
  const auto before = std::count(acts.begin(), acts.begin() + static_cast<std::ptrdiff_t>(i), acts[i]);
  cut.fail_at(acts[i], static_cast<int>(before) + 1);
  const auto runtime = broken.make(&cut);
  INFO("cut at " << acts[i] << ", the " << before + 1 << "th");
  const auto lived = broken.live(*runtime);
  CHECK(!lived);
  broken.repaired(i % 2 == 0);
}

}  // namespace

TEST_CASE("a box whose container was made and not written down is made anew", "[boxes][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  Broken broken{socket};
  FullLedger full{broken.ledger()};
  const auto runtime = broken.make(nullptr, &full);
  have(runtime->create_storage(broken.box()));
  const auto made = runtime->ensure(broken.box(), broken.spec());
  REQUIRE(!made);
  CHECK(made.error().detail.find("the disk is full") != std::string::npos);
  CHECK(runtime->state(broken.box()) == State::stopped);
  broken.repaired(true);
}

TEST_CASE("a box that was cut off as it was made is repaired by the next ensure, or removed",
          "[boxes][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  Broken broken{socket};
  const auto acts = acts_of_a_life(broken);
  REQUIRE(acts.size() > 10);
  for (std::size_t i = 0; i < acts.size(); ++i) {  // the making of network, proxy's joining and container
    const bool chosen = acts[i] == "engine.connect" || acts[i] == "engine.network_remove";
    if (chosen) cut_at(broken, acts, i);
  }
}

TEST_CASE("a box cut off at any act of its life is repaired by the next ensure, or removed",
          "[boxes][docker][podman][.slow]") {
  for (const auto* part : {"BERTH_TEST_DOCKER", "BERTH_TEST_PODMAN"}) {
    std::string socket;
    if (!part_present(part, socket)) continue;
    Broken broken{socket};
    const auto acts = acts_of_a_life(broken);
    for (std::size_t i = 0; i < acts.size(); ++i) cut_at(broken, acts, i);
  }
}

}  // namespace berth::test
