// pull_policy, on the engine in memory and from a real registry.
#include "tests/holder/engine/engine_world.h"
#include "tests/holder/verbs/bench.h"
#include "tests/support/registry.h"

using namespace berth;
using namespace berth::test;
using holder::engine::Engine;

namespace {

const Engine::Image kPulled{.id = "sha256:pulled", .labels = {}, .command = {"sh"}, .entrypoint = {}, .volumes = {}};

/// The machine's own address beyond loopback, which engines trust without a certificate.
std::string own_address() {
  const auto said = must(run_process({"hostname", "-I"}, std::chrono::seconds{10}, no_faults())).out;
  return said.substr(0, said.find_first_of(" \n"));
}

void check_run(const std::vector<std::string>& argv) {
  const auto done = must(run_process(argv, std::chrono::seconds{60}, no_faults()));
  if (done.exit_status != 0) FAIL(argv[0] << " " << argv[1] << ": " << done.err);
}

/// The authority where engines look for it, for this one registry; gone with the test.
struct Trust {
  explicit Trust(const Registry& registry) : folder("/etc/docker/certs.d/" + registry.tls()) {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(registry.authority(), folder / "ca.crt");
  }
  ~Trust() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    std::filesystem::remove(folder.parent_path(), ignored);  // only if nobody else's are in it
  }
  std::filesystem::path folder;
};

struct Pulling {
  explicit Pulling(const std::string& socket) : world(socket), bench(world.engine()) {}
  ~Pulling() { forget(); }
  void forget() {
    for (const auto& reference : references) world.raw("DELETE", "/images/" + reference + "?force=1");
  }
  Result<Json> create(const std::string& what, const std::string& reference, const std::string& policy) {
    return bench.host("create", {{"name", world.name(what)}, {"image", reference}, {"pull_policy", policy},
                                 {"command", {"sleep", "60"}}, {"network_mode", "none"}, {"start", false}});
  }
  EngineWorld world;
  Bench bench;
  std::vector<std::string> references;
};

}  // namespace

TEST_CASE("pull_policy says when an image is fetched: never, when it is missing, always", "[create][pull]") {
  MemoryEngine engine;
  Bench bench{engine};
  engine.registry = {{"shop:5000/web:1", kPulled}};
  const auto create = [&](const std::string& name, const std::string& policy, const std::string& image = "shop:5000/web:1") {
    return outcome(bench.host("create", {{"name", name}, {"image", image}, {"pull_policy", policy}}));
  };
  CHECK(create("web-a", "never") == "not_found image");
  CHECK(create("web-a", "missing", "shop:5000/none:1") == "engine_refused");
  CHECK(create("web-a", "missing") == "ok");
  CHECK(create("web-b", "missing") == "ok");
  CHECK(create("web-c", "always") == "ok");
  CHECK(create("web-d", "never") == "ok");
  const auto acts = engine.acts();
  CHECK(std::ranges::count(acts, "pull shop:5000/web:1") == 2);
  engine.registry.clear();
  CHECK(create("web-e", "always") == "engine_refused");  // an old image is not what was asked for
}

TEST_CASE("a real registry is pulled from, in the clear and by a trusted authority", "[docker][pull]") {
  std::string socket;
  if (!part_present("BERTH_TEST_DOCKER", socket)) return;
  Registry registry{own_address()};
  Pulling at{socket};
  const auto plain = registry.plain() + "/berth/web:1", tls = registry.tls() + "/berth/web:1";
  at.references = {plain, tls};
  check_run({"docker", "-H", "unix://" + socket, "tag", EngineWorld::kImage, plain});
  check_run({"docker", "-H", "unix://" + socket, "push", "--quiet", plain});
  at.forget();
  CHECK(outcome(at.create("never", plain, "never")) == "not_found image");
  CHECK(outcome(at.create("plain", plain, "missing")) == "ok");
  CHECK(outcome(at.create("always", plain, "always")) == "ok");
  const auto none = at.create("none", registry.plain() + "/berth/none:1", "missing");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Errc::engine_refused);
  CHECK(none.error().detail.find("berth/none") != std::string::npos);

  const auto untrusted = at.create("untrusted", tls, "missing");
  REQUIRE_FALSE(untrusted);
  CHECK(untrusted.error().detail.find("x509") != std::string::npos);
  const Trust trust{registry};
  CHECK(outcome(at.create("trusted", tls, "missing")) == "ok");
  at.forget();
  registry.stop();
  const auto away = at.create("away", plain, "missing");
  REQUIRE_FALSE(away);
  CHECK(away.error().detail.find("refused") != std::string::npos);
}

TEST_CASE("podman pulls from a registry whose authority is trusted", "[podman][pull]") {
  std::string docker, podman;
  if (!part_present("BERTH_TEST_PODMAN", podman) || !part_present("BERTH_TEST_DOCKER", docker)) return;
  Registry registry{own_address()};
  Pulling at{podman};
  const auto plain = registry.plain() + "/berth/web:1", tls = registry.tls() + "/berth/web:1";
  EngineWorld pusher{docker};
  check_run({"docker", "-H", "unix://" + docker, "tag", EngineWorld::kImage, plain});
  check_run({"docker", "-H", "unix://" + docker, "push", "--quiet", plain});
  check_run({"docker", "-H", "unix://" + docker, "rmi", plain});
  at.references = {tls};
  const auto untrusted = at.create("untrusted", tls, "missing");
  REQUIRE_FALSE(untrusted);
  CHECK(untrusted.error().detail.find("x509") != std::string::npos);
  const Trust trust{registry};
  const auto made = at.create("trusted", tls, "missing");
  if (!made) FAIL(made.error().detail);
}
