// dnsmasq does not go while a running container still has its resolver.
#include "store/audit.h"
#include "store/ingest.h"
#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;

namespace {

Json container(const std::string& name, const std::string& state, const Json& resolvers) {
  Json document = {{"id", name + "-id"}, {"name", name}, {"image", "i:1"}, {"state", state}, {"assignment", nullptr},
                   {"pid", 7}, {"started_at", "2026-01-01T00:00:00Z"}, {"restarts", 0}};
  if (!resolvers.is_null()) document["pinned_resolvers"] = resolvers;
  return document;
}

void read_machine(CatalogueWorld& world, const std::string& machine, const Json& containers) {
  const auto read = store::ingest_snapshot(
      world.store, {{"machine", machine}, {"machine_id", std::string(32, 'a')}, {"taken_at", "2026-01-02T00:00:00Z"},
                    {"file", {{"sha256", std::string(64, '0')}}}, {"containers", containers}, {"records", Json::array()}});
  if (!read) FAIL(read.error().detail);
}

std::string audited(CatalogueWorld& world) {
  const auto audit = store::find_audit("pinned-resolvers");
  REQUIRE(audit);
  const auto table = world.store.table(audit->sql, {store::Value{}});
  if (!table) FAIL(table.error().detail);
  std::string text;
  for (const auto& row : table->rows)
    text += std::get<std::string>(row[0]) + " " + std::get<std::string>(row[1]) + " " + std::get<std::string>(row[3]) + "\n";
  return text;
}

}  // namespace

TEST_CASE("dnsmasq is not taken from a machine where containers run with its resolver, and is once they were restarted",
          "[catalogue][pinned]") {
  CatalogueWorld world;
  CatalogueWorld::taken(assign(world.store, "dnsmasq", "alder"));
  read_machine(world, "alder",
               Json::array({container("web", "running", {"10.0.0.2", "10.0.0.3"}), container("old", "exited", Json::array({"10.0.0.2"})), container("free", "running", nullptr)}));
  read_machine(world, "birch", Json::array({container("other", "running", Json::array({"10.0.0.9"}))}));
  CHECK(audited(world) == "alder web 10.0.0.2\nalder web 10.0.0.3\nbirch other 10.0.0.9\n");
  const auto refused = unassign(world.store, "dnsmasq", "alder");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::conflict);
  CHECK(refused.error().detail.find("web (10.0.0.2, 10.0.0.3)") != std::string::npos);
  CHECK(refused.error().detail.find("old") == std::string::npos);
  CHECK(refused.error().detail.find("other") == std::string::npos);
  read_machine(world, "alder", Json::array({container("web", "running", nullptr)}));
  CatalogueWorld::taken(unassign(world.store, "dnsmasq", "alder"));
  CHECK(audited(world) == "birch other 10.0.0.9\n");
}
