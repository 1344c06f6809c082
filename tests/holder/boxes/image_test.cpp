#include <thread>

#include "base/file.h"
#include "base/hash.h"
#include "holder/boxes/conformance/practice_image.h"
#include "holder/boxes/docker/docker_runtime.h"
#include "tests/holder/boxes/boxes_world.h"
#include "tests/holder/boxes/child.h"

// The box image, pulled from a registry of the test's own.
namespace berth::test {
namespace {

using namespace holder::boxes;

class PulledImage {
 public:
  explicit PulledImage(const std::string& socket)
      : calls_(have(holder::engine::BoxCalls::open(socket, {}, seam_))) {
    have(write_file(folder_ / "image.tar", have(conformance::practice_image_tar(seam_)), 0600, seam_));
    registry_ = std::make_unique<Child>(
        std::vector<std::string>{"python3", std::string{BERTH_SOURCE_DIR} + "/tests/holder/boxes/registry.py",
                                 folder_ / "image.tar", folder_ / "port"});
    for (int i = 0; i < 400 && !std::filesystem::exists(folder_ / "port"); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    config_.image = "127.0.0.1:" + have(read_file(folder_ / "port")) + "/box" + random_hex(3) + ":1";
    runtime_ = docker::make_docker(config_, {socket, {}}, ledger_, seam_);
  }
  ~PulledImage() {
    const auto repository = config_.image.substr(0, config_.image.rfind(':'));
    for (const auto& row : have(calls_->images()))
      for (const auto& digest : row.digests)
        if (digest.starts_with(repository)) static_cast<void>(calls_->remove_image(row.id));
  }
  void publish(const std::string& text) {
    registry_->say(text);
    REQUIRE(registry_->hear() == "made");
  }
  std::string id() { return have(calls_->engine().image(config_.image)).id; }
  Runtime& runtime() { return *runtime_; }
  holder::engine::BoxCalls& calls() { return *calls_; }

 private:
  TempFolder folder_;
  ScriptedSeam seam_;
  std::unique_ptr<holder::engine::BoxCalls> calls_;
  std::unique_ptr<Child> registry_;
  BoxesConfig config_;
  MemoryLedger ledger_;
  std::unique_ptr<Runtime> runtime_;
};

}  // namespace

TEST_CASE("a newer box image is pulled, told, and the older one removed", "[boxes][docker]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  PulledImage image{socket};
  have(image.runtime().ensure_image());
  const auto first = image.id();
  have(image.runtime().ensure_image());
  CHECK(!have(image.runtime().refresh_image()));
  CHECK(image.id() == first);
  image.publish("second");
  have(image.runtime().ensure_image());  // there already: nothing is pulled
  CHECK(image.id() == first);
  CHECK(have(image.runtime().refresh_image()));
  CHECK(image.id() != first);
  for (const auto& row : have(image.calls().images())) CHECK(row.id != first);
}

TEST_CASE("a pull that fails is an error in the engine's own words", "[boxes][docker][podman]") {
  for (const auto* part : {"BERTH_TEST_DOCKER", "BERTH_TEST_PODMAN"}) {
    std::string socket;
    if (!part_present(part, socket)) continue;
    ScriptedSeam seam;
    const auto calls = have(holder::engine::BoxCalls::open(socket, {}, seam));
    const auto pulled = calls->pull("127.0.0.1:1/nobody/box:1");
    REQUIRE(!pulled);
    INFO(pulled.error().detail);
    CHECK(pulled.error().code == Errc::engine_refused);
    CHECK(calls->pull("../box").error().code == Errc::bad_request);
  }
}

}  // namespace berth::test
