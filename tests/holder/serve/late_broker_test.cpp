// berth-holder started by a machine whose broker is not there yet.
#include <fstream>

#include "bus/bus.h"
#include "holder/client/client.h"
#include "tests/holder/serve/face_world.h"
#include "tests/holder/serve/holder_process.h"
#include "tests/support/nats_server.h"

namespace berth::test {
namespace {

/// Asks until the holder has heard of the broker.
std::string asked_until_answered(bus::Bus& bus, const std::string& subject) {
  std::string said = "nothing";
  for (int i = 0; i < 100; ++i) {
    const auto answer = bus.request(subject, "{}", std::chrono::seconds{5});
    if (answer) return answer->data;
    said = answer.error().detail;
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  return said;
}

}  // namespace

TEST_CASE("SD02 a holder that starts before its broker is ready without it, does not end, and serves when it comes",
          "[nats][program]") {
  NatsServer broker;
  broker.stop();  // its port stays its own
  const TempFolder folder;
  auto config = config_in(folder);
  config["bus"] = {{"url", broker.url()}};
  std::ofstream{folder / "holder.json"} << config;
  std::ofstream{folder / "seat.json"} << seat_document();
  NotifySocket systemd{folder / "notify"};
  HolderProcess holder{folder / "holder.json", folder / "notify"};
  CHECK(systemd.hear() == "READY=1");
  for (int i = 0; i < 5; ++i) CHECK(systemd.hear() == "WATCHDOG=1");
  CHECK(holder::client::HolderClient{folder / "h.sock"}.seat().ok());
  broker.start();
  bus::BusConfig own;
  own.url = broker.url();
  own.inbox_prefix = bus::inbox_prefix("alice");
  auto alice = bus::Bus::connect(own, no_faults(), std::chrono::seconds{20});
  REQUIRE(alice);
  const auto said = asked_until_answered(**alice, kSubject + "read.list.alice");
  CAPTURE(said);
  CHECK(Json::parse(said).at("code") == "engine_unreachable");  // it is served; its engine is another matter
  CHECK(holder.end(SIGTERM) == 0);
}

}  // namespace berth::test
