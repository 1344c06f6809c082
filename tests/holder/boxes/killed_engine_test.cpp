#include "holder/boxes/docker/docker_runtime.h"
#include "tests/holder/boxes/dying.h"
#include "tests/holder/boxes/own_engine.h"

// An engine of the test's own, killed at each act of a box's life.
namespace berth::test {
namespace {

using namespace holder::boxes;
using std::chrono::milliseconds;

class MortalBoxes {
 public:
  explicit MortalBoxes(holder::engine::Kind kind)
      : engine_(kind), world_(engine_world(engine_.socket(), calm_)), whole_(make(calm_)) {}
  std::unique_ptr<Runtime> make(Seam& seam) {
    return docker::make_docker(world_->config(), {engine_.socket(), {}}, ledger_, seam);
  }
  Status life(Runtime& runtime) {
    TRY(runtime.create_storage(box_));
    TRY(runtime.ensure(box_, world_->spec()));
    TRY(runtime.start(box_, world_->spec()));
    TRY(runtime.run(Place::of(box_), {{"true"}, {}, {}}, {}));
    TRY(runtime.stop(box_));
    TRY(runtime.remove(box_));
    return runtime.remove_storage(box_);
  }
  /// Whether the engine died of it.
  bool dies_at(std::size_t act, milliseconds after) {
    Dying dying{[this] { engine_.kill(); }, act, after};
    const auto lived = life(*make(dying));
    if (!dying.fired()) return false;
    INFO("killed " << after.count() << " ms after act " << act << ": "
                   << (lived ? std::string{"all was done"} : lived.error().detail));
    if (!lived) CHECK(lived.error().code == Errc::engine_unreachable);
    CHECK(whole_->state(box_) == State::unknown);
    CHECK(!whole_->health().answering);
    engine_.start();
    repaired((act + (after.count() > 0 ? 1 : 0)) % 2 == 0);
    return true;
  }
  void repaired(bool start_first) {
    if (start_first) {
      have(whole_->create_storage(box_));
      have(whole_->ensure(box_, world_->spec()));
      have(world_->start_proxy());
      have(whole_->start(box_, world_->spec()));
      CHECK(whole_->state(box_) == State::running);
      CHECK(have(whole_->isolated(box_)));
    }
    have(whole_->remove(box_));
    have(whole_->remove_storage(box_));
    have(world_->start_proxy());
    CHECK(have(whole_->inventory()).empty());
  }

 private:
  ScriptedSeam calm_;
  OwnEngine engine_;
  std::unique_ptr<conformance::EngineWorld> world_;
  MemoryLedger ledger_;
  std::unique_ptr<Runtime> whole_;
  BoxId box_ = BoxId::parse("k").value();
};

void killed_at_every_act(holder::engine::Kind kind, const std::vector<milliseconds>& delays) {
  MortalBoxes boxes{kind};
  for (const auto after : delays) {
    std::size_t acts = 0;
    while (acts < 40 && boxes.dies_at(acts, after)) ++acts;
    CHECK(acts >= 10);
    CHECK(acts < 40);
  }
}

}  // namespace

// Right before each act only: Docker 20.10 that dies in the middle of leaving a network panics at every start
// after.
TEST_CASE("a Docker killed in the middle of any method leaves a box unknown, and it is repaired or removed",
          "[boxes][docker][.slow]") {
  std::string here;
  if (part_present("BERTH_TEST_DOCKER", here))
    killed_at_every_act(holder::engine::Kind::docker, {milliseconds{0}});
}

TEST_CASE("a Podman killed in the middle of any method leaves a box unknown, and it is repaired or removed",
          "[boxes][podman][.slow]") {
  std::string here;
  if (part_present("BERTH_TEST_PODMAN", here))
    killed_at_every_act(holder::engine::Kind::podman, {milliseconds{15}, milliseconds{0}});
}

}  // namespace berth::test
