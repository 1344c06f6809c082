#include "host/resources/engine_flags.h"

#include "host/resources/command_line.h"
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;

namespace {

Json flags_of(const test::TempRoot& root, const std::string& unit, const std::string& drop_in = {}) {
  std::vector<UnitFile> files{{"/lib/docker.service", unit}};
  if (!drop_in.empty()) files.push_back({"/etc/d.conf", drop_in});
  return must(read_engine_flags(files, root.path)).document();
}

}  // namespace

TEST_CASE("Debian's unit with DOCKER_OPTS in its environment file: each flag with its key, value and file") {
  test::TempRoot root;
  root.put("/etc/default/docker", "# DOCKER_OPTS=\"--dns 9.9.9.9\"\nDOCKER_OPTS=\"--dns 8.8.8.8 --dns=8.8.4.4 \\\n  --log-opt max-size=5m\"\n");
  const auto flags = flags_of(root,
      "[Unit]\nExecStart=not this\n[Service]\nEnvironmentFile=-/etc/default/docker\nEnvironmentFile=-/etc/none\n"
      "ExecStart=/usr/sbin/dockerd -H fd:// --containerd=/run/c.sock $DOCKER_OPTS\nExecReload=/bin/kill -s HUP $MAINPID\n");
  CHECK(flags["flags"] == Json{{"hosts", {"fd://"}}, {"containerd", {"/run/c.sock"}}, {"dns", {"8.8.8.8", "8.8.4.4"}},
                               {"log-opts", {"max-size=5m"}}});
  CHECK(flags["sources"][0] == Json{{"file", "/lib/docker.service"},
                                    {"flags", {{"hosts", {"fd://"}}, {"containerd", {"/run/c.sock"}}}}});
  CHECK(flags["sources"][1]["file"] == "/etc/default/docker");
  CHECK(flags["sha256"].get<std::string>().size() == 64);
}

TEST_CASE("a drop-in that empties ExecStart replaces it; the hash follows the flags, not their file") {
  test::TempRoot root;
  const std::string unit = "[Service]\nExecStart=/usr/bin/dockerd --live-restore --debug=false\n";
  const auto plain = flags_of(root, unit);
  CHECK(plain["flags"] == Json{{"live-restore", {"true"}}, {"debug", {"false"}}});
  const auto replaced = flags_of(root, unit, "[Service]\nExecStart=\nExecStart=/usr/bin/dockerd \\\n  -Hunix:///x.sock -D\n");
  CHECK(replaced["flags"] == Json{{"hosts", {"unix:///x.sock"}}, {"debug", {"true"}}});
  const auto moved = flags_of(root, "[Service]\n", "[Service]\nExecStart=/usr/bin/dockerd --live-restore --debug=false\n");
  CHECK(moved["sha256"] == plain["sha256"]);
  CHECK(moved["sources"] != plain["sources"]);
  CHECK(replaced["sha256"] != plain["sha256"]);
}

TEST_CASE("variables, quotes and a shell around the engine do not hide its flags") {
  test::TempRoot root;
  const auto flags = flags_of(root,
      "[Service]\nEnvironment=\"OPTS=--insecure-registry a:1 --label 'k=v w'\" HOST=10.0.0.1\n"
      "ExecStart=/bin/sh -c \"exec dockerd --host tcp://${HOST}:2375 $OPTS $UNSET\"\n");
  CHECK(flags["flags"]["insecure-registries"] == Json{"a:1"});
  CHECK(flags["flags"]["hosts"] == Json{"tcp://10.0.0.1:2375"});
  const auto direct = flags_of(root, "[Service]\nEnvironment=\"OPTS=--label 'k=v w'\"\nExecStart=dockerd $OPTS --icc --mtu 1400\n");
  CHECK(direct["flags"] == Json{{"labels", {"k=v w"}}, {"icc", {"true"}}, {"mtu", {"1400"}}});
}

TEST_CASE("an environment file that must be there and is not is an error naming it") {
  test::TempRoot root;
  const auto flags = read_engine_flags({{"/u", "[Service]\nEnvironmentFile=/etc/must\nExecStart=dockerd $X\n"}}, root.path);
  REQUIRE_FALSE(flags);
  CHECK(flags.error().detail.find("/etc/must") != std::string::npos);
}

TEST_CASE("the text of a unit is what systemctl cat prints of its files") {
  CHECK(cat_text({{"/lib/a.service", "[Unit]\n"}, {"/etc/a.service.d/x.conf", "[Service]\n"}}) ==
        "# /lib/a.service\n[Unit]\n\n# /etc/a.service.d/x.conf\n[Service]\n");
}

TEST_CASE("without a system bus the service manager is a clear error, not a crash") {
  test::CutSeam seam;
  if (std::filesystem::exists("/run/dbus/system_bus_socket")) return;  // a machine with systemd: its own cases run there
  const auto units = make_units(seam);
  const auto state = units->state("docker.service");
  REQUIRE_FALSE(state);
  CHECK(state.error().code == Errc::unreachable);
  CHECK(state.error().detail.find("system bus") != std::string::npos);
  CHECK_FALSE(units->start("docker.service"));
}
