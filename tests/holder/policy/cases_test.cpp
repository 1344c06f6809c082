// What a bus caller may ask for and what the host may, case by case: tests/holder/policy_cases.json, whose
// rows say why each was judged so.

#include "base/config.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {

const Json& document() {
  static const auto read = read_document(std::string{BERTH_SOURCE_DIR} + "/tests/holder/policy_cases.json");
  if (!read) FAIL(to_text(read.error()));
  return *read;
}

void furnish(MemoryEngine& engine, const Json& fixtures) {
  using Labels = std::map<std::string, std::string>;
  using Words = std::vector<std::string>;
  for (const auto& c : fixtures["containers"]) engine.put(c["name"], c["labels"].get<Labels>(), "running", c["id"]);
  for (const auto& v : fixtures["volumes"]) {
    engine.put_volume(v["name"], {v["driver"], v["options"].get<Labels>(), v["labels"].get<Labels>()});
  }
  for (const auto& n : fixtures["networks"]) engine.put_network(n["name"], {n["id"], n["driver"], n["labels"].get<Labels>()});
  for (const auto& i : fixtures["images"]) {
    engine.put_image(i["reference"], {i["id"], i["labels"].get<Labels>(), i["command"].get<Words>(), i["entrypoint"].get<Words>(), i["volumes"].get<Words>()});
  }
}

/// The world is as furnished again for the next case.
void restore(MemoryEngine& engine, const std::string& id, bool made) {
  if (made) static_cast<void>(engine.remove(id, true, true));
  for (const auto& c : document()["fixtures"]["containers"]) {
    if (c["id"] == id) engine.put(c["name"], c["labels"].get<std::map<std::string, std::string>>(), "running", id);
  }
}

}  // namespace

TEST_CASE("every case of the policy is judged as it says, and what is refused changes nothing", "[policy]") {
  MemoryEngine engine;
  furnish(engine, document()["fixtures"]);
  Bench bench{engine};
  bench.grant(Json::parse(R"([{"caller": "alice", "verbs": ["start", "stop", "restart", "create", "remove"], "class": "act"}])"));
  for (const auto& row : document()["cases"]) {
    const std::string id = row["id"], verb = row["verb"], title = row["title"];
    CAPTURE(id, title, row["params"].dump());
    const auto before = engine.acts().size();
    const auto held = engine.list()->size();
    const auto answer = row["face"] == "socket" ? bench.host(verb, row["params"]) : bench.bus(verb, row["params"]);
    CHECK(outcome(answer) == row["expect"]);
    if (!answer) {
      CHECK(engine.acts().size() == before);
      CHECK(engine.list()->size() == held);
    } else if (verb == "create" || verb == "remove") {
      restore(engine, (*answer)["id"], verb == "create");
    }
  }
}
