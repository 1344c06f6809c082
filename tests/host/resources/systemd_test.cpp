// The real service manager: runs inside a machine whose first process is systemd, as root.
#include <unistd.h>

#include <thread>

#include "base/process.h"
#include "host/resources/units.h"
#include "tests/host/resources/room.h"
#include "tests/support/parts.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

constexpr const char* kTried = "berth-unit-test.service";
constexpr const char* kFile = "/etc/systemd/system/berth-unit-test.service";

bool systemd_here() {
  std::string ignored;
  return test::part_present("BERTH_TEST_SYSTEMD", ignored);
}

/// A unit of the test's own, gone with it.
struct UnitHere {
  UnitHere() : units(make_units(no_faults())) {}
  ~UnitHere() {
    if (!written) return;
    (void)units->stop(kTried);
    (void)units->disable(kTried);
    (void)units->reset_failed(kTried);
    ::unlink(kFile);
    (void)units->daemon_reload();
  }
  void write(const std::string& service, const std::string& unit = "") {
    written = true;
    must(write_file(kFile, "[Unit]\nDescription=test\n" + unit + "[Service]\n" + service +
                               "\n[Install]\nWantedBy=multi-user.target\n", 0644, no_faults()));
    must(units->daemon_reload());
  }
  std::unique_ptr<Units> units;
  bool written = false;
};

std::string systemctl(const std::vector<std::string>& words) {
  std::vector<std::string> argv{"systemctl"};
  argv.insert(argv.end(), words.begin(), words.end());
  return must(run_process(argv, std::chrono::seconds{20}, no_faults())).out;
}

}  // namespace

TEST_CASE("a restart that is begun is not waited for, whatever the program does in its start", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  here.write("Type=notify\nExecStart=/bin/sleep 1000\nTimeoutStartSec=600");  // it never says that it is there
  must(here.units->begin_restart(kTried));
  const auto starting = must(here.units->state(kTried));
  CHECK(starting.active == "activating");
  CHECK(starting.queued);
  must(here.units->stop(kTried));
  CHECK_FALSE(must(here.units->state(kTried)).queued);
}

TEST_CASE("what a unit says is what its newest process wrote, and no word of the service manager's", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  here.write("Type=oneshot\nExecStart=/bin/sh -c 'echo first; exit 1'");
  const Time began = system_clock().now();
  CHECK_FALSE(here.units->start(kTried));
  here.write("Type=oneshot\nExecStart=/bin/sh -c 'echo second; exit 1'");
  CHECK_FALSE(here.units->start(kTried));
  std::string said;
  for (int i = 0; i < 100 && said.empty(); ++i) {
    said = here.units->journal_since(kTried, began);
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
  }
  CHECK(said == "second\n");
}

TEST_CASE("a real unit is enabled, started, restarted, stopped and disabled, and each is seen at once", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  CHECK_FALSE(must(here.units->state("berth-nonesuch.service")).exists());
  here.write("ExecStart=/bin/sleep 1000");
  must(here.units->enable(kTried));
  must(here.units->start(kTried));
  const auto up = must(here.units->state(kTried));
  CHECK(up.is_running());
  CHECK(up.is_enabled());
  CHECK(up.main_pid > 1);
  CHECK(up.started_us > 0);
  must(here.units->restart(kTried));
  CHECK(must(here.units->state(kTried)).main_pid != up.main_pid);
  CHECK(here.units->reload(kTried).error().code == Errc::conflict);
  must(here.units->stop(kTried));
  must(here.units->disable(kTried));
  const auto down = must(here.units->state(kTried));
  CHECK(down.active == "inactive");
  CHECK(down.file == "disabled");
}

TEST_CASE("a real unit that fails says its exit, and starts again after its start limit once reset", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  const std::string cured = "/run/berth-unit-test-cured";
  ::unlink(cured.c_str());
  here.write("Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/sh -c 'test -e " + cured + " || exit 7'",
             "StartLimitBurst=2\nStartLimitIntervalSec=100\n");
  const auto said = here.units->start(kTried).error().detail;
  CHECK(said.find("last exit status 7") != std::string::npos);
  CHECK(must(here.units->state(kTried)).exit_status == 7);
  CHECK_FALSE(here.units->start(kTried));
  must(write_file(cured, "", 0644, no_faults()));
  CHECK_FALSE(here.units->start(kTried));  // it would run now, but its limit is reached
  must(here.units->reset_failed(kTried));
  must(here.units->start(kTried));
  ::unlink(cured.c_str());
}

TEST_CASE("the text of a real unit is what systemctl cat prints, and a changed file is told as stale", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  here.write("ExecStart=/bin/sleep 1000");
  CHECK(cat_text(must(here.units->files(kTried))) == systemctl({"cat", "--no-pager", kTried}));
  must(here.units->start(kTried));  // one that is not loaded is read anew, and never stale
  CHECK_FALSE(must(here.units->state(kTried)).stale);
  ::sleep(1);  // systemd looks at the file's time, which some file systems keep in coarse steps
  must(write_file(kFile, "[Service]\nExecStart=/bin/sleep 2000\n", 0644, no_faults()));
  CHECK(must(here.units->state(kTried)).stale);
  for (const auto* unit : {"docker.service", "systemd-journald.service"}) {
    if (!must(here.units->state(unit)).exists()) continue;
    CHECK(cat_text(must(here.units->files(unit))) == systemctl({"cat", "--no-pager", unit}));
  }
}

TEST_CASE("a service resource on the real service manager is given back as found", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  here.write("ExecStart=/bin/sleep 1000");
  test::Room room;
  World world{.seam = room.seam, .clock = room.clock, .units = *here.units, .packages = room.packages};
  const Json declared = {{"unit", kTried}, {"running", true}, {"enabled", true}};
  const auto found = must(type("service").read(world, declared));
  CHECK(must(type("service").apply(world, declared, found, nullptr)).changed);
  CHECK_FALSE(must(type("service").apply(world, declared, found, nullptr)).changed);
  must(type("service").give_back(world, declared, found, nullptr));
  CHECK(must(type("service").read(world, declared)) == found);
}

TEST_CASE("a real package manager tells what is installed and what is not", "[.systemd]") {
  if (!systemd_here()) return;
  const auto apt = make_packages(no_faults());
  CHECK(must(apt->installed("libc6")).has_value());
  CHECK_FALSE(must(apt->installed("berth-nonesuch")).has_value());
}

TEST_CASE("a real unit is masked, cannot be started, and is given back as found", "[.systemd]") {
  if (!systemd_here()) return;
  UnitHere here;
  const std::string unit = "systemd-tmpfiles-clean.timer";  // a unit of the system's own folder: one in /etc cannot be masked
  if (!must(here.units->state(unit)).exists()) return;
  test::Room room;
  World world{.seam = room.seam, .clock = room.clock, .units = *here.units, .packages = room.packages};
  const Json declared = {{"unit", unit}, {"masked", true}};
  const auto found = must(type("service").read(world, declared));
  CHECK(must(type("service").apply(world, declared, found, nullptr)).changed);
  CHECK(must(here.units->state(unit)).is_masked());
  CHECK_FALSE(here.units->start(unit));
  CHECK_FALSE(must(type("service").apply(world, declared, found, nullptr)).changed);
  must(type("service").give_back(world, declared, found, nullptr));
  CHECK(must(type("service").read(world, declared)) == found);
}

TEST_CASE("a real account is joined to a group and stays in it, its shell is given back", "[.systemd]") {
  if (!systemd_here()) return;
  const auto sh = [](const std::string& script) {
    return must(run_process({"sh", "-c", script}, std::chrono::seconds{30}, no_faults())).exit_status;
  };
  REQUIRE(sh("useradd --create-home --shell /bin/sh berth-t && groupadd berth-g") == 0);
  test::Room room;
  World world{.seam = no_faults(), .clock = room.clock, .units = room.units, .packages = room.packages};
  const Json declared = {{"name", "berth-t"}, {"groups", {"berth-g"}}, {"shell", "/bin/bash"}};
  const auto found = must(type("user").read(world, declared));
  const auto acted = must(type("user").apply(world, declared, found, nullptr));
  CHECK(acted.changed);
  CHECK(sh("id -nG berth-t | grep -qw berth-g && getent passwd berth-t | grep -q :/bin/bash$") == 0);
  CHECK_FALSE(must(type("user").apply(world, declared, found, acted.applied)).changed);
  must(type("user").give_back(world, declared, found, acted.applied));
  CHECK(sh("id -nG berth-t | grep -qw berth-g && getent passwd berth-t | grep -q :/bin/sh$") == 0);
  CHECK(sh("userdel -r berth-t; groupdel berth-g") == 0);
  const Json nowhere = {{"name", "berth-nobody-here"}, {"groups", {"berth-g"}}};
  CHECK(type("user").apply(world, nowhere, nullptr, nullptr).error().code == Errc::not_found);
}
