#include "host/resources/process_unit.h"
#include "tests/host/resources/room.h"
#include "tests/support/fake_accounts.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;
using test::type;

namespace {

const Json kHolder = {{"id", "holder"}, {"type", "process"}, {"unit", "berth-holder.service"},
                      {"command", {"/opt/berth/holder/bin/berth-holder", "run"}}, {"account", "berth-holder"},
                      {"groups", {"docker"}}, {"link", "/opt/berth/holder"}, {"version", "1.1.0"},
                      {"artifact", {{"artifact", "file:///a"}, {"sha256", "s"}, {"signature", "g"}}},
                      {"credentials", {{"bus-password", "/etc/berth/holder.password"}}},
                      {"restart_on_change_of", {"holder-config"}}};
const std::string kUnit = "/etc/systemd/system/berth-holder.service";

struct ProcessRoom : test::Room {
  ProcessRoom() {
    root.put("/etc/berth/holder.password", "secret", 0600);
    units.on_daemon_reload = [this] {
      auto& unit = units.units["berth-holder.service"];
      unit.load = root.has(kUnit) ? "loaded" : "not-found";
      if (unit.file.empty()) unit.file = "disabled";
    };
  }
  World world() {
    auto world = Room::world();
    world.accounts = &accounts;
    world.stager = &stager;
    return world;
  }
  Result<Acted> apply(const Json& declared = kHolder) {
    auto w = world();
    if (found.is_null()) found = TRY(type("process").read(w, declared));
    auto acted = TRY(type("process").apply(w, declared, found, record));
    record = acted.applied;
    return acted;
  }
  test::FakeAccounts accounts{seam};
  test::FakeStager stager;
  Json found, record;
};

}  // namespace

TEST_CASE("a process gets its account, groups, link and unit, and runs enabled") {
  ProcessRoom room;
  CHECK(must(room.apply()).action == "created");
  CHECK(room.accounts.acts == std::vector<std::string>{"add berth-holder", "join berth-holder docker"});
  CHECK(std::filesystem::read_symlink(room.root.at("/opt/berth/holder")) == "/opt/berth/releases/1.1.0");
  CHECK(room.units.acts == std::vector<std::string>{"daemon_reload", "enable berth-holder.service", "start berth-holder.service"});
  const auto text = room.root.read(kUnit);
  for (const char* line : {"Type=notify\n", "User=berth-holder\n", "SupplementaryGroups=docker\n", "RuntimeDirectory=berth\n",
                           "StateDirectory=berth-holder\n", "LoadCredential=bus-password:/etc/berth/holder.password\n",
                           "Restart=always\n", "WatchdogSec=30\n", "StartLimitIntervalSec=0\n",
                           "ExecStart=/opt/berth/holder/bin/berth-holder run\n"}) {
    CAPTURE(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(must(room.apply()).action == "unchanged");
  CHECK(room.accounts.acts.size() == 2);
}

TEST_CASE("a new version moves the link and restarts; a dead process is started again past its failures") {
  ProcessRoom room;
  must(room.apply());
  room.units.acts.clear();
  auto newer = kHolder;
  newer["version"] = "1.2.0";
  CHECK(must(room.apply(newer)).action == "updated");
  CHECK(room.units.acts == std::vector<std::string>{"restart berth-holder.service"});
  room.units.acts.clear();
  room.units.unit("berth-holder.service").active = "failed";
  must(room.apply(newer));
  CHECK(room.units.acts == std::vector<std::string>{"reset_failed berth-holder.service", "start berth-holder.service"});
}

TEST_CASE("giving back a process leaves the tree as found, the account staying") {
  ProcessRoom room;
  const auto before = room.root.tree();
  must(room.apply());
  auto world = room.world();
  const auto acted = must(type("process").give_back(world, kHolder, room.found, room.record));
  std::filesystem::remove_all(room.root.at("/etc/systemd"));  // empty folders, as on every machine
  CHECK(room.root.tree() == before);
  CHECK(room.units.unit("berth-holder.service").active == "inactive");
  CHECK(room.units.unit("berth-holder.service").file == "disabled");
  CHECK(acted.detail.find("stay") != std::string::npos);
  CHECK(room.accounts.groups.contains("berth-holder"));
}

TEST_CASE("an artifact that is refused, or a credential that is missing, stops the process before anything is placed") {
  ProcessRoom room;
  const auto before = room.root.tree();
  room.stager.refusal = "its signature is by none of release_keys";
  CHECK(room.apply().error().detail.find("signature") != std::string::npos);
  CHECK(room.root.tree() == before);
  room.stager.refusal.clear();
  std::filesystem::remove(room.root.at("/etc/berth/holder.password"));
  CHECK(room.apply().error().detail.find("/etc/berth/holder.password") != std::string::npos);
  CHECK(room.units.acts.empty());
}

TEST_CASE("a crash at any act of a process's apply is finished by the next run") {
  std::string end;
  {
    ProcessRoom room;
    must(room.apply());
    end = room.root.tree();
  }
  int cut = 1;
  for (bool died = true; died; ++cut) {
    ProcessRoom room;
    room.seam.die_at = cut;
    died = false;
    try {
      must(room.apply());
    } catch (const test::CutSeam::Died&) {
      died = true;
    }
    CAPTURE(cut, room.seam.acts);
    room.seam.calm();
    room.units.on_daemon_reload();  // systemd itself goes on
    must(room.apply());
    CHECK(room.root.tree() == end);
    CHECK(room.units.unit("berth-holder.service").is_running());
    CHECK(room.units.unit("berth-holder.service").is_enabled());
  }
  CHECK(cut > 10);
}

TEST_CASE("words of a command are written so that systemd reads them back as they were") {
  auto declared = kHolder;
  declared["command"] = {"/bin/x", "a b", "100%", "$HOME", "q\"uote", "back\\slash", ""};
  CHECK(process_unit_text(declared, "docker.service").find(
            "ExecStart=/bin/x \"a b\" 100%% $$HOME \"q\\\"uote\" \"back\\\\slash\" \"\"\n") != std::string::npos);
}

TEST_CASE("a malformed process is refused by the member at fault") {
  const auto refusal = [](const char* key, const Json& value) {
    auto declared = kHolder;
    declared[key] = value;
    const auto done = type("process").check(declared);
    return done ? std::string{"taken"} : done.error().field;
  };
  CHECK(refusal("unit", "berth-holder") == "process.unit");
  CHECK(refusal("unit", "x.timer") == "process.unit");
  CHECK(refusal("command", Json::array()) == "process.command");
  CHECK(refusal("command", {"relative"}) == "process.command");
  CHECK(refusal("command", {"/x", "a\nExecStartPre=/evil"}) == "process.command");
  CHECK(refusal("account", "Root User") == "process.account");
  CHECK(refusal("credentials", {{"a:b", "/x"}}) == "process.credentials");
  CHECK(refusal("nonesuch", 1) == "process.nonesuch");
  CHECK(refusal("account", "berth-holder") == "taken");
}
