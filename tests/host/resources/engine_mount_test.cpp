#include "host/resources/engine_mount.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "base/owned.h"
#include "tests/host/resources/room.h"
#include "tests/support/fake_engine.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;

namespace {

/// A machine with two engines' sockets, and links to them.
struct MountRoom : test::Room {
  MountRoom() {
    for (const char* socket : {"/run/docker.sock", "/run/podman/podman.sock", "/srv/engine/own"})
      listen(socket);
    link("/srv/short", "../run/docker.sock");
    link("/srv/twice", "short");
    link("/srv/runs", "../run/podman");
    link("/srv/all", "../run");
    root.put("/srv/data/file", "x");
    link("/srv/plain", "data");
    engine.stated_socket = "/run/podman/podman.sock";
  }
  void listen(const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path{root.at(path)}.parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    root.at(path).copy(address.sun_path, sizeof(address.sun_path) - 1);
    sockets.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    REQUIRE(::bind(sockets.back().get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  }
  void link(const std::string& from, const std::string& to) {
    std::filesystem::create_symlink(to, root.at(from));
  }
  Status judge(const Json& volume) {
    auto w = world();
    const Json document = {
        {"name", "watch"}, {"image", "i:1"}, {"assignment", "watch"}, {"volumes", {volume}}};
    const auto spec = must(holder::client::parse_spec(document, holder::client::Asker::host));
    return check_engine_mounts(w, engine, spec);
  }
  std::string bind(const std::string& source) {
    const auto done = judge({{"type", "bind"}, {"source", source}, {"target", "/engine"}});
    return done ? "taken" : done.error().detail;
  }
  std::vector<OwnedFd> sockets;
  test::FakeEngine engine{root.at("/none"), clock, seam};
};

const std::string kStates = ", but the holder of node-container-runtime states /run/podman/podman.sock";

}  // namespace

TEST_CASE(
    "a bind that leads to another engine's socket than the holder states is refused naming both, links "
    "resolved") {
  MountRoom room;
  CHECK(room.bind("/run/docker.sock") ==
        "the container watch mounts the engine socket /run/docker.sock" + kStates);
  for (const std::string link : {"/srv/short", "/srv/twice", "/srv/all/docker.sock"}) {
    CHECK(room.bind(link) ==
          "the container watch mounts the engine socket " + link + " (which is /run/docker.sock)" + kStates);
  }
  const auto done = room.judge({{"type", "bind"}, {"source", "/srv/twice"}, {"target", "/engine"}});
  CHECK(done.error().code == Errc::conflict);
  CHECK(done.error().seat == "node-container-runtime");
}

TEST_CASE(
    "the stated socket may be mounted by any path that leads to it, and what is no engine's socket too") {
  MountRoom room;
  CHECK(room.bind("/run/podman/podman.sock") == "taken");
  CHECK(room.bind("/srv/runs/podman.sock") == "taken");
  for (const char* plain : {"/srv/data", "/srv/plain", "/srv/plain/file", "/srv/engine", "/nowhere"})
    CHECK(room.bind(plain) == "taken");
  room.engine.stated_socket = "/srv/engine/own";
  CHECK(room.bind("/srv/engine/own") == "taken");
  CHECK(room.bind("/run/podman/podman.sock") != "taken");
}

TEST_CASE(
    "a second name of an engine's socket is that socket, and a folder under /run that holds one is refused") {
  MountRoom room;
  std::filesystem::create_hard_link(room.root.at("/run/docker.sock"), room.root.at("/srv/harmless"));
  CHECK(room.bind("/srv/harmless") == "the container watch mounts the engine socket /srv/harmless" + kStates);
  CHECK(room.bind("/srv/all") ==
        "the container watch mounts the engine socket /srv/all (which is /run)" + kStates);
  CHECK(room.bind("/srv/runs") ==
        "the container watch mounts the engine socket /srv/runs (which is /run/podman)" + kStates);
  CHECK(room.bind("/run") != "taken");
}

TEST_CASE("a volume whose options make it an engine's socket is one, through a link too") {
  MountRoom room;
  const auto done =
      room.judge({{"type", "volume"},
                  {"source", "eng"},
                  {"target", "/engine"},
                  {"driver_opts", {{"type", "none"}, {"o", "bind"}, {"device", "/srv/short"}}}});
  REQUIRE_FALSE(done);
  CHECK(done.error().detail.find("/srv/short (which is /run/docker.sock)") != std::string::npos);
}

TEST_CASE("a bind that cannot be looked at is an error and no pass, whichever look it is") {
  MountRoom room;
  room.link("/srv/ring", "ring");
  CHECK(room.bind("/srv/ring").find("follow the links of /srv/ring") != std::string::npos);
  CHECK(room.bind("/srv/data") == "taken");
  const auto looks = std::ranges::count(room.seam.acts, "mount.look");
  REQUIRE(looks >= 2);
  for (int at = 1; at <= 2; ++at) {
    MountRoom other;
    other.seam.fail_at = at;
    CHECK(other.bind("/srv/data").find("made to fail") != std::string::npos);
  }
}

TEST_CASE(
    "a container that would mount another engine's socket is not made; with no holder it is, as it ever "
    "was") {
  MountRoom room;
  auto world = room.world();
  world.path = &room.engine;
  const Json declared = {
      {"id", "app"},
      {"type", "container"},
      {"spec",
       {{"name", "watch"},
        {"image", "i:1"},
        {"assignment", "watch"},
        {"volumes", {{{"type", "bind"}, {"source", "/srv/short"}, {"target", "/engine"}}}}}}};
  const auto refused = test::type("container").apply(world, declared, Json::object(), nullptr);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::conflict);
  CHECK(room.engine.acts.empty());
  room.engine.stated_socket.clear();
  CHECK(must(test::type("container").apply(world, declared, Json::object(), nullptr)).action == "created");
}
