#include "catalogue/grants.h"

#include "catalogue/verbs.h"
#include "tests/catalogue/world.h"

using namespace berth;             // NOLINT: a test reads better
using namespace berth::catalogue;  // NOLINT
using test::CatalogueWorld;

namespace {

std::string listed(store::Store& store, const std::string& caller) {
  std::string text;
  const auto rows = grants(store).value();
  for (const auto& row : rows) {
    if (row.caller == caller) text += row.machine + " " + row.cls + " " + row.verb + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("a verb is granted by its own name or a tool's, under its own class", "[catalogue][grant]") {
  CatalogueWorld world;
  CatalogueWorld::taken(grant(world.store, "ci", "docker_stop", "birch"));
  CatalogueWorld::taken(grant(world.store, "ci", "list", "*"));
  CatalogueWorld::taken(grant(world.store, "ci", "list", "*"));
  CHECK(listed(world.store, "ci") == "* read list\nbirch act stop\n");
  CatalogueWorld::taken(revoke(world.store, "ci", "stop", "birch"));
  CHECK(listed(world.store, "ci") == "* read list\n");
  CHECK(revoke(world.store, "ci", "stop", "birch").error().code == Errc::not_found);
}

TEST_CASE("a grant of every verb is a grant of the reading ones", "[catalogue][grant]") {
  CatalogueWorld world;
  CatalogueWorld::taken(grant(world.store, "ci", "*", "*"));
  CHECK(listed(world.store, "ci") == "* read *\n");
}

TEST_CASE("a grant of what there is not is refused", "[catalogue][grant]") {
  CatalogueWorld world;
  CHECK(grant(world.store, "ci", "exec", "birch").error().code == Errc::unknown_verb);
  CHECK(grant(world.store, "ci", "signal", "birch").error().code ==
        Errc::unknown_verb);  // the host's socket only
  CHECK(grant(world.store, "ci", "list", "elm").error().code == Errc::not_found);
  CHECK(grant(world.store, "c i", "list", "birch").error().code == Errc::bad_request);
  CHECK(grant(world.store, "host-birch", "list", "birch").error().code == Errc::bad_request);
}

TEST_CASE("the schema itself refuses an act granted by a wildcard", "[catalogue][grant]") {
  CatalogueWorld world;
  CHECK_FALSE(put_grant(world.store, {"ci", "*", "*", "act"}).ok());
}

TEST_CASE("who lost the last grant stays a user of the broker who may do nothing, until forgotten", "[catalogue][grant]") {
  CatalogueWorld world;
  const auto is_user = [&] { return render_permissions(world.store).value().find("user: \"ci\"") != std::string::npos; };
  CHECK(forget_caller(world.store, "ci").error().code == Errc::not_found);
  CatalogueWorld::taken(grant(world.store, "ci", "stop", "birch"));
  CHECK(is_user());
  CHECK(forget_caller(world.store, "ci").error().code == Errc::conflict);
  CatalogueWorld::taken(revoke(world.store, "ci", "stop", "birch"));
  CHECK(is_user());
  CatalogueWorld::taken(forget_caller(world.store, "ci"));
  CHECK_FALSE(is_user());
}
