// A whole file of ours beside other hands, and systemd that must be told of it.
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::Room;
using test::type;

namespace {

const Json kShopConf = {{"path", "/etc/shop/shop.conf"}, {"content", "ours\n"}, {"mode", "0644"}};
const Json kShopUnit = {{"path", "/etc/systemd/system/shop.timer"}, {"content", "[Timer]\nOnCalendar=weekly\n"}};

std::ptrdiff_t reloads(const Room& room) { return std::ranges::count(room.units.acts, "daemon_reload"); }

}  // namespace

TEST_CASE("a file that somebody changed since is not given back over his change, and the answer says so") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    Room room;
    auto world = room.world();
    if (was_there) room.root.put("/etc/shop/shop.conf", "by hand\n", 0640);
    const auto found = must(type("file").read(world, kShopConf));
    const auto applied = must(type("file").apply(world, kShopConf, found, nullptr)).applied;
    room.root.put("/etc/shop/shop.conf", "theirs since\n", 0600);
    const auto theirs = room.root.tree();
    const auto acted = must(type("file").give_back(world, kShopConf, found, applied));
    CHECK(room.root.tree() == theirs);
    CHECK_FALSE(acted.changed);
    CHECK(acted.detail == "/etc/shop/shop.conf was changed by somebody else since and stays as it is");
  }
}

TEST_CASE("a file that somebody removed since stays away, one that was never there goes with its folders") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    Room room;
    auto world = room.world();
    if (was_there) room.root.put("/etc/shop/shop.conf", "by hand\n");
    const auto found = must(type("file").read(world, kShopConf));
    const auto applied = must(type("file").apply(world, kShopConf, found, nullptr)).applied;
    std::filesystem::remove(room.root.at("/etc/shop/shop.conf"));
    const auto acted = must(type("file").give_back(world, kShopConf, found, applied));
    CHECK_FALSE(room.root.has("/etc/shop/shop.conf"));
    CHECK(room.root.has("/etc/shop") == was_there);
    CHECK((acted.detail.find("was removed by somebody else since") != std::string::npos) == was_there);
  }
}

TEST_CASE("a file declared anew and written by neither or either apply is given back to what was found") {
  const Json anew = {{"path", "/etc/shop/shop.conf"}, {"content", "ours, second\n"}, {"mode", "0600"}};
  for (const bool second_ran : {false, true}) {
    Room room;
    auto world = room.world();
    room.root.put("/etc/shop/shop.conf", "by hand\n", 0640);
    const auto before = room.root.tree();
    const auto found = must(type("file").read(world, kShopConf));
    const auto applied = must(type("file").apply(world, kShopConf, found, nullptr)).applied;
    if (second_ran) must(type("file").apply(world, anew, found, applied));  // and died before its record
    CHECK(must(type("file").give_back(world, anew, found, applied)).changed);
    CHECK(room.root.tree() == before);
  }
}

TEST_CASE("what systemd was not told of is told by the next run, written or given back") {
  Room room;
  auto world = room.world();
  room.root.put("/etc/systemd/system/shop.timer", "[Timer]\nOnCalendar=daily\n");
  const auto found = must(type("file").read(world, kShopUnit));
  const auto cut = [&] {
    room.seam.fail_at = static_cast<int>(room.seam.acts.size()) + 6;  // create, write, fsync, rename, folder, and then
    room.seam.with_errno = EIO;
  };
  cut();
  REQUIRE_FALSE(type("file").apply(world, kShopUnit, found, nullptr));
  REQUIRE(room.seam.acts.back() == "unit.daemon_reload");
  room.seam.calm();
  const auto applied = must(type("file").apply(world, kShopUnit, found, nullptr)).applied;
  CHECK(reloads(room) == 1);
  must(type("file").apply(world, kShopUnit, found, applied));
  CHECK(reloads(room) == 1);  // what is as it was applied needs no telling
  cut();
  REQUIRE_FALSE(type("file").give_back(world, kShopUnit, found, applied));
  room.seam.calm();
  must(type("file").give_back(world, kShopUnit, found, applied));
  CHECK(reloads(room) == 2);
}

TEST_CASE("a service whose unit systemd has not read yet is looked for again once, then it is missing") {
  Room room;
  auto world = room.world();
  const Json declared = {{"unit", "shop.timer"}, {"running", true}, {"enabled", true}};
  CHECK(type("service").apply(world, declared, nullptr, nullptr).error().code == Errc::not_found);
  room.units.on_daemon_reload = [&] { room.units.add("shop.timer"); };
  CHECK(must(type("service").apply(world, declared, nullptr, nullptr)).changed);
  CHECK(room.units.unit("shop.timer").active == "active");
}

TEST_CASE("what a death left beside a placed file is gone after whatever the next run does") {
  for (const std::string next : {"apply", "give_back"}) {
    CAPTURE(next);
    Room room;
    auto world = room.world();
    room.root.put("/etc/shop/shop.conf", "by hand\n");
    const auto before = room.root.tree();
    const auto found = must(type("file").read(world, kShopConf));
    room.seam.die_at = 3;
    CHECK_THROWS_AS(type("file").apply(world, kShopConf, found, nullptr), test::CutSeam::Died);
    REQUIRE(room.root.tree() != before);
    room.seam.calm();
    if (next == "apply") must(type("file").apply(world, kShopConf, found, nullptr));
    must(type("file").give_back(world, kShopConf, found, nullptr));
    CHECK(room.root.tree() == before);
  }
}
