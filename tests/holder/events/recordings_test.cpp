#include <fstream>
#include <iterator>

#include "base/json.h"
#include "catch.h"
#include "holder/engine/parse.h"
#include "holder/events/normalise.h"

// What Docker 20.10 and Podman 4.3 really said, line by line (recordings.json), and what readers are told of
// it.
namespace berth::test {
namespace {

using holder::engine::Kind;
using holder::events::Happening;
using holder::events::Normaliser;
using holder::events::World;

const Json& recordings() {
  static const Json read = [] {
    std::ifstream file{std::string{BERTH_SOURCE_DIR} + "/tests/holder/events/recordings.json"};
    return Json::parse(file);
  }();
  return read;
}

std::vector<Happening> told_of_recording(Kind kind, const std::string& scenario) {
  World world;
  const Normaliser normaliser{kind, [](const std::string&, Time) { return std::optional<int>{137}; }};
  std::vector<Happening> told;
  for (const auto& line : recordings().at(kind == Kind::docker ? "docker" : "podman").at(scenario)) {
    const auto event = holder::engine::parse_event(line.dump());
    REQUIRE(event.ok());
    if (!*event) continue;
    for (auto& happening : normaliser.take(**event, world)) told.push_back(std::move(happening));
  }
  return told;
}

std::string recorded_kinds(Kind kind, const std::string& scenario) {
  std::string text;
  for (const auto& happening : told_of_recording(kind, scenario)) {
    text += (text.empty() ? "" : " ") + happening.kind;
    if (happening.exit_code) text += "(" + std::to_string(*happening.exit_code) + ")";
    if (!happening.health.empty()) text += "(" + happening.health + ")";
  }
  return text;
}

std::string recorded_bodies(Kind kind, const std::string& scenario) {
  std::string all;
  for (const auto& happening : told_of_recording(kind, scenario))
    all += event_body(happening, "m:s:1", "m").dump();
  return all;
}

}  // namespace

TEST_CASE("EV10 the engines' orders and names come out as the same kinds") {
  const std::pair<const char*, const char*> same[] = {
      {"autoremove exit 3", "created started died(3) removed"},
      {"oom", "created started died(137) removed"},
      {"failed start", "created removed"},
      {"exec", "created started died(137) stopped removed"},
  };
  for (const auto& [scenario, kinds] : same) {
    CAPTURE(scenario);
    CHECK(recorded_kinds(Kind::docker, scenario) == kinds);
  }
  for (const auto& [scenario, kinds] : same) {
    CAPTURE(scenario);
    const auto told = recorded_kinds(Kind::podman, scenario);
    // Podman 4.3 says nothing of a forced removal's kill.
    CHECK(
        (told == kinds || (std::string{scenario} == "exec" && told == "created started died(137) removed")));
  }
  const std::string life = "created started died(137) stopped started died(137) stopped";
  CHECK(recorded_kinds(Kind::docker, "lifecycle with spoof labels").starts_with(life));
  CHECK(recorded_kinds(Kind::podman, "lifecycle with spoof labels").starts_with(life));
  CHECK(recorded_kinds(Kind::docker, "restart loop")
            .starts_with("created started died(1) started died(1) started"));
  CHECK(recorded_kinds(Kind::podman, "restart loop")
            .starts_with("created started died(1) started died(1) started"));
}

TEST_CASE("EV06 labels in the attributes are never taken for what the engine says") {
  for (const auto kind : {Kind::docker, Kind::podman}) {
    const auto told = told_of_recording(kind, "lifecycle with spoof labels");
    REQUIRE(!told.empty());
    for (const auto& happening : told) {
      CHECK(happening.exit_code.value_or(137) == 137);
      CHECK(happening.signal.find("99") == std::string::npos);
    }
  }
}

TEST_CASE("EV08 health is the action's own word, and an unknown one stays unknown") {
  const auto told = recorded_kinds(Kind::docker, "healthcheck");
  CHECK(told.find("health(healthy)") != std::string::npos);
  CHECK(told.find("health(unhealthy)") != std::string::npos);
  CHECK(told.find("exec") == std::string::npos);
}

TEST_CASE("EV09 an exec's command line is in nothing that is told, and a health check's floods nothing") {
  for (const auto kind : {Kind::docker, Kind::podman}) {
    for (const auto& [scenario, lines] :
         recordings().at(kind == Kind::docker ? "docker" : "podman").items()) {
      CAPTURE(scenario);
      CHECK(recorded_bodies(kind, scenario).find("secret") == std::string::npos);
      CHECK(recorded_bodies(kind, scenario).find("/bin/sh") == std::string::npos);
    }
  }
}

}  // namespace berth::test
