// Whatever a bus caller sends, no request that reaches an engine gives a container a path, namespace or device of
// the machine, a right beyond the set, or a held label.
#include "holder/client/spec.h"
#include "holder/engine/create_body.h"
#include "holder/policy/forced.h"
#include "tests/holder/policy/body_rules.h"
#include "tests/holder/policy/policy_data.h"
#include "tests/holder/policy/wire_engine.h"
#include "tests/holder/policy/wishes.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using holder::engine::Kind;

namespace {

const std::string kImageId = "sha256:" + std::string(64, 'a');

/// As the verb does it, up to the bytes: nothing where the request is refused.
std::optional<holder::client::ContainerSpec> spec_of(const std::string& bytes) {
  const auto params = parse_json(bytes, "the request", 8);
  if (!params) return std::nullopt;
  auto spec = holder::client::parse_spec(*params, holder::client::Asker::bus);
  if (!spec) return std::nullopt;
  spec->image = kImageId;
  return holder::policy::forced_for_bus(std::move(spec).value(), "alice", {});
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& item : list) text += item + "; ";
  return text;
}

std::string first_requests(const WireEngine& wire) {
  std::string text;
  for (const auto& request : wire.requests()) {
    text += request.method + " " + request.target + "\n";
    if (text.size() > 1500) break;
  }
  return text;
}

const Json kGrant = Json::parse(R"([{"caller": "alice", "verbs": ["create"], "class": "act"}])");

}  // namespace

TEST_CASE("no bytes of a bus caller are composed into a request that is dangerous on either engine", "[policy][property]") {
  Wishes wishes{20240611};
  int made = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto bytes = wishes.bytes();
    const auto spec = spec_of(bytes);
    ++(spec ? made : refused);
    if (!spec) continue;
    for (const auto kind : {Kind::docker, Kind::podman}) {
      const auto body = holder::engine::create_body(*spec, kind, "/run/engine.sock");
      const auto dangers = dangers_in(body, "alice");
      if (!dangers.empty()) FAIL_CHECK(bytes << "\nbecame " << body.dump() << "\n" << joined(dangers));
    }
  }
  // Neither side of the property is empty.
  CHECK(made > 2000);
  CHECK(refused > 2000);
}

TEST_CASE("what reaches the engine's socket for a bus caller is a create without danger, and nothing else that changes a container", "[policy][property]") {
  TempFolder folder;
  WireEngine wire{(folder / "engine.sock").native()};
  ScriptedSeam seam;
  const auto kind = GENERATE(Kind::docker, Kind::podman);
  auto engine = holder::engine::Engine::open(wire.path(), kind, seam);
  if (!engine) FAIL(to_text(engine.error()));
  Bench bench{**engine};
  bench.grant(kGrant);
  Wishes wishes{kind == Kind::docker ? 7u : 8u};
  for (int i = 0; i < 250; ++i) {
    const auto params = parse_json(wishes.bytes(), "the request", 8);
    if (params) static_cast<void>(bench.bus("create", *params));
  }
  int creates = 0;
  UNSCOPED_INFO("the first requests: " << first_requests(wire));
  for (const auto& request : wire.requests()) {
    CAPTURE(request.method, request.target, request.body);
    if (request.method == "GET" || request.target.ends_with("/volumes/create") || request.method == "DELETE") continue;
    REQUIRE(request.target.starts_with("/v1.41/containers/create"));
    const auto query = request.target.substr(std::string{"/v1.41/containers/create"}.size());
    CHECK((query.empty() || query.starts_with("?name=")));
    CHECK(query.find('&') == std::string::npos);
    const auto dangers = dangers_in(Json::parse(request.body), "alice");
    if (!dangers.empty()) FAIL_CHECK(joined(dangers));
    ++creates;
  }
  CHECK(creates > 25);
}

TEST_CASE("a volume made for a bus caller has no options and is the caller's", "[policy][property]") {
  TempFolder folder;
  WireEngine wire{(folder / "engine.sock").native()};
  ScriptedSeam seam;
  const auto engine = holder::engine::Engine::open(wire.path(), Kind::docker, seam);
  if (!engine) FAIL(to_text(engine.error()));
  CHECK((*engine)->ensure_volume("there", {{"mesh-holder.caller", "alice"}}));
  for (const auto& request : wire.requests()) {
    if (request.target.ends_with("/volumes/create")) FAIL("a volume that is there was made again: " << request.body);
  }
}

TEST_CASE("the rules see the danger in everything that only the host may ask for", "[policy][property]") {
  int seen = 0;
  for (const auto& one : policy_cases()) {
    if (!one.host || one.verb != "create" || !one.accepted) continue;
    const auto params = parse_json(one.bytes, "the request", 8);
    REQUIRE(params);
    auto spec = holder::client::parse_spec(*params, holder::client::Asker::host);
    CAPTURE(one.id, one.bytes);
    REQUIRE(spec);
    // What the bus forces, but for the wish itself, so that nothing else is what is seen.
    auto forced = holder::policy::forced_for_bus(*spec, "alice", {});
    forced.security_opt = spec->security_opt.empty() ? forced.security_opt : spec->security_opt;
    if (!spec->ipc.empty()) forced.ipc = spec->ipc;
    if (!spec->cgroup.empty()) forced.cgroup = spec->cgroup;
    if (!spec->logging_driver.empty()) forced.logging_driver = spec->logging_driver, forced.logging_options = spec->logging_options;
    if (holder::client::parse_spec(*params, holder::client::Asker::bus)) continue;  // lawful by itself: another's volume, an image
    const auto dangers = dangers_in(holder::engine::create_body(forced, Kind::docker, "/run/engine.sock"), "alice");
    // An init system's danger is in the image and the command together: the judgement of images has its own cases.
    // And `privileged: false` asks for nothing: it is refused from the bus for being named.
    if (one.id == "HOST-PROC-01" || one.id == "HOST-15") continue;
    if (dangers.empty()) FAIL_CHECK("no danger is seen in " << one.id);
    ++seen;
  }
  CHECK(seen > 20);
}
