#include "tests/host/resources/room.h"
#include "tests/support/fake_accounts.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

struct UserRoom : test::Room {
  UserRoom() {
    accounts.groups["op"] = {"op", "sudo"};
    accounts.entries["op"] = {"/bin/bash", "/home/op"};
  }
  World world() {
    auto world = Room::world();
    world.accounts = &accounts;
    return world;
  }
  test::FakeAccounts accounts{seam};
};

const Json kGroup = {{"id", "group"}, {"type", "user"}, {"name", "op"}, {"groups", {"docker", "sudo"}}};

}  // namespace

TEST_CASE("an account is joined to the groups it lacks and never leaves one") {
  UserRoom room;
  auto world = room.world();
  const auto found = must(type("user").read(world, kGroup));
  const auto acted = must(type("user").apply(world, kGroup, found, nullptr));
  CHECK(acted.action == "updated");
  CHECK(acted.detail == "joined to docker");
  CHECK_FALSE(must(type("user").apply(world, kGroup, found, acted.applied)).changed);
  const auto back = must(type("user").give_back(world, kGroup, found, acted.applied));
  CHECK_FALSE(back.changed);
  CHECK(back.detail.find("stays in its groups") != std::string::npos);
  CHECK(room.accounts.acts == std::vector<std::string>{"join op docker"});
}

TEST_CASE("a shell and a home go back as found, unless somebody changed them since") {
  UserRoom room;
  auto world = room.world();
  const Json declared = {{"name", "op"}, {"shell", "/bin/zsh"}, {"home", "/srv/op"}};
  const auto found = must(type("user").read(world, declared));
  const auto acted = must(type("user").apply(world, declared, found, nullptr));
  CHECK(room.accounts.entries["op"].shell == "/bin/zsh");
  CHECK(room.accounts.entries["op"].home == "/srv/op");
  room.accounts.entries["op"].home = "/by/hand";
  must(type("user").give_back(world, declared, found, acted.applied));
  CHECK(room.accounts.entries["op"].shell == "/bin/bash");
  CHECK(room.accounts.entries["op"].home == "/by/hand");
}

TEST_CASE("an account that is not there is not made, and a change that did not take is a failure") {
  UserRoom room;
  auto world = room.world();
  const Json nobody = {{"name", "nobody-here"}, {"groups", {"docker"}}};
  CHECK(must(type("user").read(world, nobody)) == Json{{"exists", false}});
  const auto refused = type("user").apply(world, nobody, nullptr, nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::not_found);
  CHECK(room.accounts.acts.empty());
  room.accounts.deaf = true;
  const Json shell = {{"name", "op"}, {"shell", "/bin/zsh"}};
  CHECK(type("user").apply(world, shell, nullptr, nullptr).error().detail.find("not so") != std::string::npos);
}

TEST_CASE("a name that could be an option, or a path that would break the password file, is refused") {
  const auto refusal = [](const Json& declared) {
    const auto done = type("user").check(declared);
    return done ? std::string{"taken"} : done.error().field;
  };
  CHECK(refusal(kGroup) == "taken");
  CHECK(refusal({{"name", "--root"}}) == "user.name");
  CHECK(refusal({{"name", "op"}, {"groups", {"-x"}}}) == "user.groups");
  CHECK(refusal({{"name", "op"}, {"shell", "bin/sh"}}) == "user.shell");
  CHECK(refusal({{"name", "op"}, {"shell", "/bin/sh:0"}}) == "user.shell");
  CHECK(refusal({{"name", "op"}, {"home", "/home/\nroot"}}) == "user.home");
}
