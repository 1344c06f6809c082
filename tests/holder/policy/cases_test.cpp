// What a bus caller may ask for and what the host may, case by case: tests/data/policy.jsonl, whose rows say
// why each is decided so.
#include "tests/holder/policy/policy_data.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;

namespace {


/// Owned by a caller, by a module of the host's ("mesh-host"), or by nobody.
Labels owned_by(const Json& owner) {
  if (owner.is_null()) return {};
  return owner == "mesh-host" ? Labels{{"mesh-host.id", "web"}} : Labels{{"mesh-holder.caller", owner}};
}

void furnish(MemoryEngine& engine, const Json& world) {
  for (const auto& [name, c] : world["containers"].items()) engine.put(name, c["labels"].get<Labels>(), "exited", c["id"]);
  for (const auto& [name, v] : world["volumes"].items()) {
    engine.put_volume(name, {v["driver"], v["options"].get<Labels>(), owned_by(v["owner"])});
  }
  for (const auto& [name, n] : world["networks"].items()) engine.put_network(name, {n["id"], n["driver"], owned_by(n["owner"])});
  for (const auto& [name, i] : world["images"].items()) {
    engine.put_image(name, {i["id"], i.value("labels", Labels{}), i.value("cmd", Words{}), i.value("entrypoint", Words{}), i.value("volumes", Words{})});
  }
}

/// "32 containers of this caller exist": one of them is in every world.
void put_more(MemoryEngine& engine, const PolicyCase& one) {
  if (!one.id.starts_with("QUOTA-")) return;
  const auto there = std::stoi(one.precondition.get<std::string>());
  for (int i = 1; i < there; ++i) engine.put("more-" + std::to_string(i), {{"mesh-holder.caller", "alice"}});
}

/// The bounds are settings; the cases were written for these.
holder::client::BusBounds bounds_of(const Json& config) {
  return {.memory = config["max_mem"], .nano_cpus = config["max_nano"], .pids = config["max_pids"],
          .port_low = config["ports"].front().front(), .port_high = config["ports"].back().back(), .containers = 32};
}

/// The world as every case finds it, and a dispatcher over it.
struct World {
  explicit World(const Json& fixtures, const PolicyCase& one) {
    furnish(engine, fixtures);
    put_more(engine, one);
    bench.bounds = bounds_of(fixtures["config"]);
    bench.start();
    bench.grant(Json::parse(R"([{"caller": "alice", "verbs": ["*"], "class": "read"},
        {"caller": "alice", "verbs": ["start", "stop", "restart", "create", "remove"], "class": "act"}])"));
  }
  /// As both faces do: bytes, a strict document, the dispatcher.
  Result<Json> ask(const PolicyCase& one) {
    const auto params = TRY(parse_json(one.bytes, "the request", 8));
    return one.host ? bench.host(one.verb, params) : bench.bus(one.verb, params);
  }
  MemoryEngine engine;
  Bench bench{engine};
};

/// What is refused is what the case says, by our name for it; where a case is about bytes, or the whole of them,
/// its answer alone says so.
bool names_the_field(const PolicyCase& one, const Error& error) {
  if (one.of_bytes || one.field.empty() || one.field.starts_with('(') || one.field.starts_with("verb ")) return true;
  const auto is_it = [&](const std::string& field) { return field.starts_with(our_member(one.field)); };
  return is_it(error.field) || std::ranges::any_of(error.fields, is_it);
}

}  // namespace

TEST_CASE("each of the policy's 419 cases is decided as it says, and what is refused changes nothing", "[policy]") {
  const auto fixtures = data_document("policy-fixtures.json");
  const auto cases = policy_cases();
  CHECK(cases.size() == 419);
  std::optional<World> world;  // made anew after whatever changed it
  for (const auto& one : cases) {
    CAPTURE(one.id, one.title, one.bytes.substr(0, 400));
    if (!world || one.id.starts_with("QUOTA-")) world.emplace(fixtures, one);
    const auto before = world->engine.acts().size();
    const auto held = world->engine.list()->size();
    const auto answer = world->ask(one);
    CHECK(outcome(answer) == one.answer);
    if (!one.decided_otherwise) CHECK(answer.ok() == one.accepted);
    if (!answer) {
      CHECK(names_the_field(one, answer.error()));
      // A name in use is the engine's to refuse.
      if (answer.error().code != Errc::conflict) CHECK(world->engine.acts().size() == before);
      CHECK(world->engine.list()->size() == held);
    } else if (one.verb == "create") {
      CHECK(world->engine.remove(answer->at("id"), true, true).ok());
    }
    if (one.verb == "remove" || one.id.starts_with("QUOTA-")) world.reset();
  }
}
