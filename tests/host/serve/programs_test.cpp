#include <fstream>

#include "base/file.h"
#include "base/process.h"
#include "tests/support/catch.h"
#include "tests/support/fakes.h"

using namespace berth;

namespace {

bool holds(const char* program, std::string_view words) {
  const auto bytes = read_file(program, std::size_t{1} << 30);
  REQUIRE(bytes.ok());
  return bytes->find(words) != std::string::npos;
}

// Words of the runtime's command line, and the names its library's functions have in a program.
constexpr std::string_view kCommandLine[] = {
    "--no-trunc",        "{{json .}}",   "docker inspect", "Cannot connect to the Docker daemon",
    "No such container", "--health-cmd", "4path3cli",      "make_cli_path"};

Finished run(std::vector<std::string> argv) {
  auto finished = run_process(argv, std::chrono::seconds{20}, no_faults());
  REQUIRE(finished.ok());
  return *finished;
}

}  // namespace

TEST_CASE("the release built without the command line's path holds no command line of a runtime") {
  for (const auto words : kCommandLine) {
    CAPTURE(words);
    CHECK_FALSE(holds(BERTH_HOST_WITHOUT_CLI, words));
    CHECK(holds(BERTH_HOST_START, words));  // or the search would prove nothing
    CHECK(holds(BERTH_HOST_WITH_HOLDER, words));
  }
  CHECK_FALSE(holds(BERTH_HOST_WITHOUT_CLI, "podman info"));
  CHECK(holds(BERTH_HOST_WITHOUT_CLI, "make_holder_path"));
  CHECK_FALSE(holds(BERTH_HOST_START, "make_holder_path"));
}

TEST_CASE("a wrong configuration is refused naming the file, the key and the reason") {
  test::TempFolder folder;
  const auto file = (folder / "host.json").native();
  const auto with = [&](const std::string& text) {
    std::ofstream{file} << text;
    return run({BERTH_HOST_START, "--config", file, "status"});
  };
  auto said = with(
      R"({"machine": "birch", "subjects": {"push": "a", "ask": "b", "report": "c"}, "apply_every_s": 0})");
  CHECK(said.exit_status == 2);
  CHECK(said.err.find("host.json.apply_every_s") != std::string::npos);
  said = with(
      R"({"machine": "birch", "subjects": {"push": "a", "ask": "b", "report": "c"}, "aply_every_s": 5})");
  CHECK(said.err.find("aply_every_s") != std::string::npos);
  said = with(R"({"machine": "birch"})");
  CHECK(said.err.find("subjects") != std::string::npos);
  said = with(R"({"machine": "birch", "machine": "x"})");
  CHECK(said.exit_status == 2);
  said = run({BERTH_HOST_START, "--config", (folder / "none.json").native(), "status"});
  CHECK(said.err.find("none.json") != std::string::npos);
  CHECK(run({BERTH_HOST_START, "dance"}).exit_status == 2);
}

TEST_CASE("each release says its schema, which is how an older one knows that it can go back") {
  for (const auto* program : {BERTH_HOST_START, BERTH_HOST_WITH_HOLDER, BERTH_HOST_WITHOUT_CLI}) {
    CHECK(run({program, "schema-version"}).out.starts_with("1."));
    CHECK(run({program, "--version"}).exit_status == 0);
  }
}
