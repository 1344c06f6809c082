#include <fstream>

#include "tests/cli/fleet_world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

TEST_CASE("a rebuild that no machine answers ends with 4, naming each, and makes nothing",
          "[cli][nats][rebuild]") {
  FleetDesk w;
  const auto said = w.fleet({"store", "rebuild"});
  CHECK(said.status == 4);
  CHECK_THAT(said.out, Contains("nothing was made") && Contains("alder: ") && Contains("birch: ") &&
                           Contains("cedar: ") &&
                           Contains("--set-aside alder --set-aside birch --set-aside cedar"));
  CHECK_FALSE(std::filesystem::exists(w.file));
  const auto json = w.fleet_json({"store", "rebuild"}, 4);
  CHECK(json["outcome"] == "refused");
  CHECK(json["unheard"][0] ==
        Json{{"machine", "alder"}, {"code", "unreachable"}, {"why", json["unheard"][0]["why"]}});
  CHECK_THAT(w.fleet({"--output", "csv", "store", "rebuild"}).out,
             Contains("machine,code,why") && Contains("cedar,unreachable,"));
  const auto of_nobody =
      w.fleet({"store", "rebuild", "--set-aside", "alder", "--set-aside", "birch", "--set-aside", "cedar"});
  CHECK(of_nobody.status == 4);
  CHECK_THAT(of_nobody.err, Contains("no machine answers"));
  CHECK_FALSE(std::filesystem::exists(w.file));
}

TEST_CASE("a rebuild says of another machine what it is, and ends with 3", "[cli][nats][rebuild]") {
  FleetDesk w;
  for (const std::string machine : {"alder", "birch", "cedar"})
    w.host(machine, [machine](const std::string&) {
      return Json{{"machine", machine}, {"machine_id", std::string(32, 'f')}};
    });
  const auto said = w.fleet({"store", "rebuild"});
  CHECK(said.status == 3);
  CHECK_THAT(said.out, Contains("birch is another machine than the fleet document means"));
  CHECK_FALSE(std::filesystem::exists(w.file));
}

TEST_CASE("a rebuild is refused where a store is, without a document, and of machines that are none",
          "[cli][nats][rebuild]") {
  FleetDesk w;
  CHECK(w.berth({"store", "rebuild"}).status == 2);
  CHECK(w.fleet({"store", "rebuild", "--set-aside", "elm"}).status == 2);
  w.seat_on({"alder"});
  const auto said = w.fleet({"store", "rebuild"});
  CHECK(said.status == 3);
  CHECK_THAT(said.out, Contains("nothing was made: store " + w.file.native() + " is there and not empty"));
  CHECK(w.json({"machines"}).size() == 3);
  std::filesystem::remove(w.file);
  w.broker.stop();
  CHECK(w.fleet({"store", "rebuild"}).status == 4);
  CHECK_FALSE(std::filesystem::exists(w.file));
}
