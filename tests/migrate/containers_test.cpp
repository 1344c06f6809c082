#include "migrate/containers.h"
#include "base/json.h"
#include "catch.h"

using berth::Json;

namespace {

Json running(const std::string& started_at, std::int64_t pid = 7, std::int64_t restarts = 0) {
  return Json::array(
      {{{"id", "c1"}, {"name", "web"}, {"pid", pid}, {"started_at", started_at}, {"restarts", restarts}}});
}

}  // namespace

TEST_CASE("a container is the same when its start is the same instant, however the stamp is written",
          "[migrate]") {
  const auto kinship = berth::migrate::compare_containers(running("2026-11-29T21:20:25.17732682Z"),
                                                          running("2026-11-29T21:20:25.177326820Z"));
  CHECK(kinship.same.size() == 1);
  CHECK(kinship.restarted.empty());
}

TEST_CASE("another pid or another start is a restart, one that the engine counts itself is an end",
          "[migrate]") {
  const auto before = running("2026-11-29T21:20:25Z");
  CHECK(berth::migrate::compare_containers(before, running("2026-11-29T21:20:25Z", 8)).restarted.size() == 1);
  CHECK(berth::migrate::compare_containers(before, running("2026-11-29T21:20:26Z")).restarted.size() == 1);
  CHECK(berth::migrate::compare_containers(before, running("2026-11-29T21:20:26Z", 8, 1)).ended.size() == 1);
  CHECK(berth::migrate::compare_containers(before, Json::array()).ended.size() == 1);
}
