// package, service and file: apply, apply again, give back.
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::Room;
using test::type;

namespace {

const Json kPackage = {{"id", "package"}, {"type", "package"}, {"name", "docker.io"}};
const Json kService = {{"id", "runtime"}, {"type", "service"}, {"unit", "docker.service"}, {"running", true}, {"enabled", true}};
const Json kConfFile = {{"id", "conf"}, {"type", "file"}, {"path", "/etc/new/deep/x.conf"}, {"mode", "0640"},
                    {"owner", "root:root"}, {"content", "ours\n"}};

std::string refusal_of(std::string_view name, const Json& declared) {
  const auto done = type(name).check(declared);
  return done ? "taken" : done.error().field + ": " + done.error().detail;
}

}  // namespace

TEST_CASE("every type of the table refuses a member it does not know, by name") {
  for (const auto name : type_names()) {
    CAPTURE(name);
    CHECK(refusal_of(name, {{"id", "x"}, {"type", name}, {"nonesuch", 1}}) != "taken");
  }
  CHECK(refusal_of("package", {{"name", "docker.io"}, {"nonesuch", 1}}).find("nonesuch") != std::string::npos);
  CHECK(refusal_of("package", {{"name", "--reinstall"}}).find("name") != std::string::npos);
  CHECK(refusal_of("service", {{"unit", "docker"}}).find("unit") != std::string::npos);
  CHECK(refusal_of("service", {{"unit", "../x.service"}}).find("unit") != std::string::npos);
  CHECK(refusal_of("file", {{"path", "etc/x"}, {"content", ""}}).find("path") != std::string::npos);
  CHECK(refusal_of("file", {{"path", "/etc/../x"}, {"content", ""}}).find("path") != std::string::npos);
  CHECK(refusal_of("file", {{"path", "/etc/x"}, {"content", ""}, {"mode", "rw"}}).find("mode") != std::string::npos);
  CHECK(refusal_of("file", {{"path", "/etc/x"}}).find("content") != std::string::npos);
  CHECK(refusal_of("file", kConfFile) == "taken");
  CHECK(refusal_of("service", kService) == "taken");
}

TEST_CASE("a package is installed where absent, left where present, and never uninstalled") {
  Room room;
  auto world = room.world();
  room.packages.offered["docker.io"] = "20.10.24";
  const auto found = must(type("package").read(world, kPackage));
  CHECK(found == Json{{"installed", false}, {"version", ""}});
  CHECK(must(type("package").apply(world, kPackage, found, nullptr)).action == "created");
  CHECK_FALSE(must(type("package").apply(world, kPackage, found, nullptr)).changed);
  CHECK(room.packages.acts == std::vector<std::string>{"install docker.io"});
  CHECK_FALSE(must(type("package").give_back(world, kPackage, found, nullptr)).changed);
  CHECK(room.packages.versions.contains("docker.io"));
  CHECK(type("package").apply(world, {{"name", "nonesuch"}}, found, nullptr).error().detail.find("nonesuch") != std::string::npos);
}

TEST_CASE("a service becomes running and enabled and is given back as found") {
  Room room;
  auto world = room.world();
  room.units.add("docker.socket", "inactive", "disabled");
  auto declared = kService;
  declared["unit"] = "docker.socket";
  const auto found = must(type("service").read(world, declared));
  CHECK(found == Json{{"exists", true}, {"active", false}, {"enabled", false}});
  CHECK(must(type("service").apply(world, declared, found, nullptr)).changed);
  CHECK_FALSE(must(type("service").apply(world, declared, found, nullptr)).changed);
  CHECK(room.units.acts == std::vector<std::string>{"enable docker.socket", "start docker.socket"});
  room.units.acts.clear();
  CHECK(must(type("service").give_back(world, declared, found, nullptr)).changed);
  CHECK(room.units.acts == std::vector<std::string>{"disable docker.socket", "stop docker.socket"});
}

TEST_CASE("giving back a service touches only what the declaration spoke of") {
  Room room;
  auto world = room.world();
  room.units.add("x.timer", "active", "enabled");
  const Json declared = {{"unit", "x.timer"}, {"enabled", true}};
  const Json found = {{"exists", true}, {"active", false}, {"enabled", false}};
  must(type("service").give_back(world, declared, found, nullptr));
  CHECK(room.units.acts == std::vector<std::string>{"disable x.timer"});
}

TEST_CASE("the engine's own unit is not stopped while containers may run") {
  Room room;
  auto world = room.world();
  room.units.add("docker.service", "active", "enabled");
  const Json found = {{"exists", true}, {"active", false}, {"enabled", true}};
  const auto acted = must(type("service").give_back(world, kService, found, nullptr));
  CHECK(room.units.acts.empty());
  CHECK(acted.detail.find("left running") != std::string::npos);
}

TEST_CASE("a failed unit is reset before it is started, a masked or missing or static one is a clear error") {
  Room room;
  auto world = room.world();
  room.units.add("docker.service", "failed", "enabled");
  must(type("service").apply(world, kService, nullptr, nullptr));
  CHECK(room.units.acts == std::vector<std::string>{"reset_failed docker.service", "start docker.service"});
  room.units.unit("docker.service").load = "masked";
  CHECK(type("service").apply(world, kService, nullptr, nullptr).error().code == Errc::conflict);
  room.units.units.erase("docker.service");
  CHECK(type("service").apply(world, kService, nullptr, nullptr).error().code == Errc::not_found);
  room.units.add("docker.service", "active", "static");
  CHECK(type("service").apply(world, kService, nullptr, nullptr).error().detail.find("static") != std::string::npos);
  room.units.down = true;
  CHECK(type("service").read(world, kService).error().code == Errc::unreachable);
}

TEST_CASE("a file that was not there is made with its folders, and goes with the folders it made") {
  Room room;
  auto world = room.world();
  room.root.put("/etc/other", "x");
  const auto before = room.root.tree();
  const auto found = must(type("file").read(world, kConfFile));
  CHECK(must(type("file").apply(world, kConfFile, found, nullptr)).action == "created");
  CHECK(room.root.read("/etc/new/deep/x.conf") == "ours\n");
  CHECK_FALSE(must(type("file").apply(world, kConfFile, found, nullptr)).changed);
  must(type("file").give_back(world, kConfFile, found, nullptr));
  CHECK(room.root.tree() == before);
}

TEST_CASE("a folder that somebody else uses meanwhile stays") {
  Room room;
  auto world = room.world();
  const auto found = must(type("file").read(world, kConfFile));
  must(type("file").apply(world, kConfFile, found, nullptr));
  room.root.put("/etc/new/theirs", "x");
  must(type("file").give_back(world, kConfFile, found, nullptr));
  CHECK(room.root.has("/etc/new/theirs"));
  CHECK_FALSE(room.root.has("/etc/new/deep"));
}

TEST_CASE("a file that was there comes back with its bytes, broken UTF-8 too, its mode and owner") {
  Room room;
  auto world = room.world();
  room.root.put("/etc/new/deep/x.conf", std::string{"their\xFF\0bytes", 12}, 0604);
  REQUIRE(::chown(room.root.at("/etc/new/deep/x.conf").c_str(), 12, 34) == 0);
  const auto before = room.root.tree();
  const auto found = must(type("file").read(world, kConfFile));
  CHECK(found.at("bytes").contains("base64"));
  must(type("file").apply(world, kConfFile, found, nullptr));
  CHECK(room.root.tree() != before);
  must(type("file").give_back(world, kConfFile, Json::parse(found.dump()), nullptr));
  CHECK(room.root.tree() == before);
}

TEST_CASE("a crash at any act of a file's apply or give back is finished by the next run") {
  for (const bool was_there : {false, true}) {
    int cut = 1;
    for (bool died = true; died; ++cut) {
      Room room;
      auto world = room.world();
      if (was_there) room.root.put("/etc/new/deep/x.conf", "theirs", 0600);
      const auto before = room.root.tree();
      const auto found = must(type("file").read(world, kConfFile));
      room.seam.die_at = cut;
      died = false;
      try {
        must(type("file").apply(world, kConfFile, found, nullptr));
        must(type("file").give_back(world, kConfFile, found, nullptr));
      } catch (const test::CutSeam::Died&) {
        died = true;
      }
      CAPTURE(was_there, cut, room.seam.acts);
      room.seam.calm();
      must(type("file").apply(world, kConfFile, found, nullptr));
      CHECK(room.root.read("/etc/new/deep/x.conf") == "ours\n");
      must(type("file").give_back(world, kConfFile, found, nullptr));
      CHECK(room.root.tree() == before);
    }
    CHECK(cut > 8);
  }
}
