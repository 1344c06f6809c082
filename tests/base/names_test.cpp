#include "base/names.h"

#include "catch.h"

using namespace berth;
using Catch::Matchers::Contains;

TEST_CASE("a name that is a token of a subject is lower case, short, and no option", "[base]") {
  for (const char* good : {"alder", "a", "7", "node-2", "a-"}) CHECK(MachineName::parse(good));
  for (const std::string bad : {"", "-alder", "Alder", "al.der", "alder*", ">", "al der", "al\nder", "\xc3\xa4"}) {
    CAPTURE(bad);
    CHECK_FALSE(MachineName::parse(bad));
  }
  CHECK(MachineName::parse(std::string(63, 'a')));
  CHECK_FALSE(MachineName::parse(std::string(64, 'a')));
  CHECK_THAT(CallerName::parse("a.b").error().detail, Contains("\"a.b\" is not a caller name"));
}

TEST_CASE("a container is given by id, name or prefix and never as an option, path or query", "[base]") {
  for (const char* good : {"web", "0a1b", "my_app.1-x", "Web"}) CHECK(ContainerRef::parse(good));
  for (const std::string bad : {"", "-f", "--help", "a/b", "../x", "a?b=c", "a b", ".web", "_x", "a%2f", "web\n"}) {
    CAPTURE(bad);
    CHECK_FALSE(ContainerRef::parse(bad));
  }
}
