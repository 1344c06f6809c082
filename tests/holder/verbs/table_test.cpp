#include "base/file.h"
#include "holder/verbs/table.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::holder::verbs;

TEST_CASE("docs/verbs.md is what the table prints", "[table]") {
  const auto page = read_file(std::string{BERTH_SOURCE_DIR} + "/docs/verbs.md");
  REQUIRE(page);
  CHECK(*page == verbs_page());
}

TEST_CASE("a verb is found by its name or its tool's", "[table]") {
  CHECK(find_verb("list")->name == "list");
  CHECK(find_verb("docker_list")->name == "list");
  for (const auto* none : {"", "docker_", "List", "list/", "docker_create", "docker_remove", "docker_signal", "docker_docker_list"}) {
    CHECK(find_verb(none) == nullptr);
  }
}

TEST_CASE("what changes something is of class act", "[table]") {
  std::string acts;
  for (const auto& row : verb_table()) acts += row.verb_class == VerbClass::act ? std::string{row.name} + " " : "";
  CHECK(acts == "start stop restart create remove signal prune ");
}

TEST_CASE("the tools are the eighteen of the docker module's manifest", "[table]") {
  const auto text = read_file(std::string{BERTH_SOURCE_DIR} + "/schema/modules/docker.json");
  REQUIRE(text);
  auto wanted = Json::parse(*text).at("tools").get<std::vector<std::string>>();
  auto served = tools();
  std::sort(wanted.begin(), wanted.end());
  std::sort(served.begin(), served.end());
  CHECK(served == wanted);
  CHECK(served.size() == 18);
}
