#include <algorithm>
#include <cstdlib>

#include "base/hash.h"
#include "base/json.h"
#include "base/process.h"
#include "host/path/cli/read.h"
#include "host/path/select.h"
#include "tests/support/catch.h"
#include "tests/support/fakes.h"
#include "tests/support/parts.h"

using namespace berth;
using namespace berth::host::path;

namespace {

constexpr auto kImage = "berth-hostpath-test:1";

/// The real engine with an image of ours; everything made under one label goes with the fixture.
class RealDocker {
 public:
  explicit RealDocker(const std::string& socket) : mark_("berth-hostpath-" + random_hex(4)) {
    ::setenv("DOCKER_HOST", ("unix://" + socket).c_str(), 1);
    test::TempFolder folder;
    std::filesystem::create_directories(folder / "bin");
    std::filesystem::copy_file("/bin/busybox", folder / "bin/busybox");
    docker_shell("tar -C " + folder.path().native() + " -c . | docker import - " + kImage);
  }
  ~RealDocker() {
    const auto ids = run_process({"docker", "ps", "-aq", "--filter", "label=berth-test=" + mark_},
                                 std::chrono::seconds{20}, no_faults());
    std::string line;
    for (const char c : ids ? ids->out : std::string{}) {
      if (c != '\n') line += c;
      if (c == '\n' && !line.empty())
        static_cast<void>(run_process({"docker", "rm", "-f", line}, std::chrono::seconds{20}, no_faults())),
            line.clear();
    }
    static_cast<void>(run_process({"docker", "rmi", kImage}, std::chrono::seconds{20}, no_faults()));
    ::unsetenv("DOCKER_HOST");
  }
  holder::client::ContainerSpec spec(const std::string& name) const {
    holder::client::ContainerSpec spec;
    spec.name = mark_ + "-" + name;
    spec.image = kImage;
    spec.command = {{"/bin/busybox", "sleep", "600"}};
    spec.labels["berth-test"] = mark_;
    spec.stop_grace_s = 0;
    return spec;
  }

 private:
  static void docker_shell(const std::string& line) {
    const auto said = run_checked({"sh", "-ec", line}, std::chrono::seconds{60}, no_faults());
    REQUIRE(said.ok());
  }
  std::string mark_;
};

const Seen* find(const std::vector<Seen>& all, const std::string& id) {
  const auto at = std::ranges::find(all, id, &Seen::id);
  return at == all.end() ? nullptr : &*at;
}

}  // namespace

TEST_CASE("the command line makes, finds, signals and removes a container on a real engine", "[docker]") {
  std::string socket;
  if (!test::part_present("BERTH_TEST_DOCKER", socket)) return;
  RealDocker engine(socket);
  const auto path = make_cli_path(no_faults());
  auto spec = engine.spec("web");
  spec.assignment = "web";
  spec.environment["A"] = "two words";
  spec.mem_limit = 32 << 20;
  const auto id = path->create(spec).value();

  const auto all = path->list().value();
  const auto* seen = find(all, id);
  REQUIRE(seen != nullptr);
  CHECK(seen->name == spec.name);
  CHECK(seen->image == kImage);
  CHECK(seen->state == "running");
  CHECK(seen->assignment == "web");
  CHECK(seen->pid > 0);
  CHECK(seen->started_at.size() == std::string_view{"2026-11-29T21:20:25.177326820Z"}.size());
  const auto whole = path->inspect(id).value();
  CHECK(whole["Config"]["Env"][0] == "A=two words");
  CHECK(whole["HostConfig"]["Memory"] == 32 << 20);

  CHECK(path->create(spec).error().code == Errc::conflict);
  CHECK(path->stop(id, std::chrono::seconds{0}).ok());
  CHECK(find(path->list().value(), id)->state == "exited");
  CHECK(path->start(id).ok());
  CHECK(path->signal(id, "HUP").ok());
  CHECK(path->remove(id).ok());
  CHECK(find(path->list().value(), id) == nullptr);
  CHECK(path->inspect(id).error().code == Errc::not_found);
  CHECK(path->start(id).error().code == Errc::not_found);
}

TEST_CASE("a container that cannot be started is not left behind half made", "[docker]") {
  std::string socket;
  if (!test::part_present("BERTH_TEST_DOCKER", socket)) return;
  RealDocker engine(socket);
  const auto path = make_cli_path(no_faults());
  auto spec = engine.spec("broken");
  spec.command = {{"/no/such/program"}};
  CHECK_FALSE(path->create(spec).ok());
  const auto all = path->list().value();
  CHECK(std::ranges::none_of(all, [&](const Seen& seen) { return seen.name == spec.name; }));
}

TEST_CASE("the engine's own words are read from its info document", "[docker]") {
  std::string socket;
  if (!test::part_present("BERTH_TEST_DOCKER", socket)) return;
  RealDocker engine(socket);
  const auto path = make_cli_path(no_faults());
  const auto view = path->engine().value();
  CHECK_FALSE(view.version.empty());
  CHECK(std::ranges::count(view.insecure_registries, "127.0.0.0/8") == 0);
  CHECK_FALSE(path->reloaded_since(system_clock().now() - std::chrono::seconds{1}).value());
}

TEST_CASE("an engine that is not there is unreachable, never an empty list", "[docker]") {
  std::string socket;
  if (!test::part_present("BERTH_TEST_DOCKER", socket)) return;
  ::setenv("DOCKER_HOST", "unix:///nonexistent/berth.sock", 1);
  const auto path = make_cli_path(no_faults());
  CHECK(path->list().error().code == Errc::engine_unreachable);
  CHECK(path->engine().error().code == Errc::engine_unreachable);
  CHECK(path->start("x").error().code == Errc::engine_unreachable);
  ::unsetenv("DOCKER_HOST");
}

TEST_CASE("an info document gives the registries trusted in the clear, without the engine's own default") {
  const Json info = {
      {"ServerVersion", "20.10.24"},
      {"LiveRestoreEnabled", true},
      {"LoggingDriver", "json-file"},
      {"RegistryConfig",
       {{"InsecureRegistryCIDRs", {"127.0.0.0/8", "10.0.0.0/8"}},
        {"IndexConfigs", {{"docker.io", {{"Secure", true}}}, {"a.example:5000", {{"Secure", false}}}}}}}};
  const auto view = cli::engine_of(info);
  CHECK(view.live_restore);
  CHECK(view.insecure_registries == std::vector<std::string>{"10.0.0.0/8", "a.example:5000"});
}
