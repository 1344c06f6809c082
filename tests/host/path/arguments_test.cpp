#include "host/path/cli/arguments.h"

#include <algorithm>

#include "base/json.h"
#include "tests/support/catch.h"

using namespace berth;
using host::path::cli::Arguments;
using host::path::cli::create_arguments;

namespace {

holder::client::ContainerSpec spec_of(const Json& document) {
  auto spec = holder::client::parse_spec(document, holder::client::Asker::host);
  REQUIRE(spec.ok());
  return *spec;
}

std::string line_of(const Json& document) {
  const auto arguments = create_arguments(spec_of(document));
  REQUIRE(arguments.ok());
  std::string line;
  for (const auto& argument : *arguments) line += (line.empty() ? "" : " | ") + argument;
  return line;
}

}  // namespace

TEST_CASE("the smallest spec is a create with a name, its restart rule, never pulling, and the image last") {
  CHECK(line_of({{"name", "web"}, {"image", "berth-practice:1"}}) ==
        "create | --name | web | --restart | no | --pull | never | -- | berth-practice:1");
}

TEST_CASE("a value stays one argument whatever is in it, and the assignment becomes the host's label") {
  const auto line = line_of({{"name", "web"},
                             {"image", "i:1"},
                             {"assignment", "web"},
                             {"environment", {{"A", "x; rm -rf / $(id) \"q\""}}},
                             {"command", {"sh", "-c", "echo | cat"}}});
  CHECK(line.find("--label | mesh-host.id=web") != std::string::npos);
  CHECK(line.find("--env | A=x; rm -rf / $(id) \"q\" |") != std::string::npos);
  CHECK(line.ends_with("-- | i:1 | sh | -c | echo | cat"));
}

TEST_CASE("the words of an entry point after the first go before the command") {
  CHECK(line_of(
            {{"name", "app"}, {"image", "i:1"}, {"entrypoint", {"/bin/tini", "--"}}, {"command", {"serve"}}})
            .ends_with("--entrypoint | /bin/tini | -- | i:1 | -- | serve"));
}

TEST_CASE("a comma in a mount's source does not begin another field") {
  const auto line =
      line_of({{"name", "app"},
               {"image", "i:1"},
               {"volumes", {{{"type", "bind"}, {"source", "/a,b"}, {"target", "/x"}, {"read_only", true}}}}});
  CHECK(line.find("--mount | type=bind,\"source=/a,b\",target=/x,readonly") != std::string::npos);
}

TEST_CASE("ports, bounds and processors are spelled as the command line reads them") {
  const auto line = line_of({{"name", "app"},
                             {"image", "i:1"},
                             {"mem_limit", "64m"},
                             {"cpus", 0.25},
                             {"ports", {{{"target", 80}, {"published", 8080}, {"host_ip", "127.0.0.1"}}}}});
  CHECK(line.find("--publish | 127.0.0.1:8080:80/tcp") != std::string::npos);
  CHECK(line.find("--memory | 67108864") != std::string::npos);
  CHECK(line.find("--cpus | 0.250000000") != std::string::npos);
}

TEST_CASE("a health check in exec form is refused by name: the command line would run it in a shell") {
  const auto refused = create_arguments(
      spec_of({{"name", "app"}, {"image", "i:1"}, {"healthcheck", {{"test", {"CMD", "true"}}}}}));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().field == "healthcheck.test");
}
