// A machine's store that is lost is told from a machine that never had one.
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "catch.h"
#include "store/store.h"
#include "tests/support/fakes.h"

using namespace berth;
using store::Role;
using store::Store;

namespace {

struct MachineStore {
  Result<Store> open(Role role = Role::host) { return Store::open(file, role, clock, seam); }
  Store must_open(Role role = Role::host) {
    auto opened = open(role);
    if (!opened) FAIL(opened.error().detail);
    return std::move(opened).value();
  }
  /// A process that writes and is killed: its log stays.
  void write_and_die(const std::string& key) {
    const auto child = ::fork();
    if (child == 0) {
      auto opened = open();
      if (!opened || !opened->set_setting(key, "v")) ::_exit(1);
      ::_exit(0);  // no destructor: as a power cut would
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
  }
  void remove(const std::string& tail) { std::filesystem::remove(file.native() + tail); }
  test::TempFolder folder;
  std::filesystem::path file = folder / "host.db";
  test::HandClock clock;
  test::ScriptedSeam seam;
};

std::string refusal(const Result<Store>& opened) { return opened ? "opened" : opened.error().detail; }

}  // namespace

TEST_CASE("SQ05 a store whose file is gone is not begun anew, a fresh machine's is made", "[store][lost]") {
  MachineStore machine;
  CHECK(machine.must_open().set_setting("k", "v"));
  machine.remove("");
  const auto lost = machine.open();
  REQUIRE_FALSE(lost);
  CHECK(lost.error().code == Errc::conflict);
  CHECK(lost.error().detail.find("was here and is gone") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(machine.file));
  machine.remove(".mark");  // somebody means it
  CHECK(machine.open());
}

TEST_CASE("SQ05 a store whose write-ahead log was removed after a crash is not gone on with", "[store][lost]") {
  MachineStore machine;
  machine.write_and_die("first");
  machine.remove("-wal");
  machine.remove("-shm");
  const auto lost = machine.open();
  REQUIRE_FALSE(lost);
  CHECK(lost.error().code == Errc::conflict);
  CHECK(lost.error().detail.find("-wal") != std::string::npos);
  CHECK_FALSE(machine.open());  // and not by trying again
  machine.remove(".mark");
  CHECK(machine.open());
}

TEST_CASE("SQ05 a store whose file was truncated, to nothing or in the middle, says so and is left as it is", "[store][lost]") {
  MachineStore machine;
  CHECK(machine.must_open().set_setting("k", "v"));
  const auto size = GENERATE(0, 100);
  std::filesystem::resize_file(machine.file, static_cast<std::uintmax_t>(size));
  CHECK_FALSE(machine.open());
  CHECK(std::filesystem::file_size(machine.file) == static_cast<std::uintmax_t>(size));
}

TEST_CASE("a crash, a clean end and another hand's look at the store are no loss", "[store][lost]") {
  MachineStore machine;
  machine.write_and_die("a");
  CHECK(machine.must_open().setting("a").value() == "v");  // read alone, and closed: the log is folded in
  machine.write_and_die("b");
  {  // as the sqlite3 shell does: opened to write, closed last, its log folded in and deleted
    auto other = machine.must_open(Role::host);
    CHECK(other.setting("b").value() == "v");
  }
  CHECK_FALSE(std::filesystem::exists(machine.file.native() + "-wal"));
  auto first = machine.must_open();
  CHECK(first.set_setting("c", "v"));
  {
    auto second = machine.must_open();
    CHECK(second.set_setting("d", "v"));
  }
  CHECK(first.set_setting("e", "v"));
  first = machine.must_open();
  CHECK(first.setting("e").value() == "v");
}

TEST_CASE("SQ05 the log folded in by the sqlite3 shell after a crash is no loss", "[store][lost]") {
  MachineStore machine;
  machine.write_and_die("a");
  const auto said = std::system(("sqlite3 " + machine.file.native() + " 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null 2>&1").c_str());
  if (said != 0) {
    WARN("there is no sqlite3 shell here");
    return;
  }
  machine.remove("-wal");
  CHECK(machine.must_open().setting("a").value() == "v");
}

TEST_CASE("another store in the place of the machine's is refused, and a restored backup of it is taken", "[store][lost]") {
  MachineStore machine;
  CHECK(machine.must_open().set_setting("k", "backed up"));
  CHECK(machine.must_open().backup_to(machine.folder / "backup.db"));
  CHECK(machine.must_open().set_setting("k", "later"));
  const auto aside = Store::restore(machine.folder / "backup.db", machine.file, Role::host, machine.clock, machine.seam);
  if (!aside) FAIL(aside.error().detail);
  CHECK(std::filesystem::exists(*aside));
  CHECK(machine.must_open().setting("k").value() == "backed up");
  CHECK(machine.must_open().set_setting("k", "written since"));
  MachineStore other;
  CHECK(other.must_open().set_setting("k", "another"));
  std::filesystem::copy_file(other.file, machine.file, std::filesystem::copy_options::overwrite_existing);
  CHECK(refusal(machine.open()).find("was here before") != std::string::npos);
}

TEST_CASE("a restore refuses what is no whole store of the role, one that is in use, and keeps what was there", "[store][lost]") {
  MachineStore machine;
  {
    auto open = machine.must_open();
    CHECK(open.set_setting("k", "v"));
    CHECK(open.backup_to(machine.folder / "backup.db"));
    const auto busy = Store::restore(machine.folder / "backup.db", machine.file, Role::host, machine.clock, machine.seam);
    REQUIRE_FALSE(busy);
    CHECK(busy.error().code == Errc::busy);
  }
  const auto restored = [&](const std::filesystem::path& from, Role role) {
    const auto done = Store::restore(from, machine.file, role, machine.clock, machine.seam);
    return done ? std::string{"restored"} : done.error().detail;
  };
  CHECK(restored(machine.folder / "backup.db", Role::holder).find("role holder") != std::string::npos);
  std::ofstream{machine.folder / "text"} << "no store";
  CHECK(restored(machine.folder / "text", Role::host) != "restored");
  CHECK(restored(machine.folder / "nothing", Role::host) != "restored");
  CHECK(machine.must_open().setting("k").value() == "v");
  // The lost store it is for.
  std::filesystem::resize_file(machine.file, 0);
  CHECK(restored(machine.folder / "backup.db", Role::host) == "restored");
  CHECK(machine.must_open().setting("k").value() == "v");
}

TEST_CASE("a restore writes nothing where the backup lies, whatever the folder is named", "[store][lost]") {
  MachineStore machine;
  CHECK(machine.must_open().set_setting("k", "backed up"));
  const auto safe = machine.folder / "kept? 100%#1 \xC3\xA9";
  std::filesystem::create_directory(safe);
  CHECK(machine.must_open().backup_to(safe / "backup.db"));
  CHECK(machine.must_open().set_setting("k", "later"));
  const auto done = Store::restore(safe / "backup.db", machine.file, Role::host, machine.clock, machine.seam);
  if (!done) FAIL(done.error().detail);
  CHECK(std::distance(std::filesystem::directory_iterator{safe}, {}) == 1);
  CHECK(machine.must_open().setting("k").value() == "backed up");
}

TEST_CASE("a backup that was copied with its log is restored with what only the log holds", "[store][lost]") {
  MachineStore machine;
  machine.write_and_die("only in the log");
  const auto copies = machine.folder / "copies";
  std::filesystem::create_directory(copies);
  for (const char* tail : {"", "-wal"}) std::filesystem::copy_file(machine.file.native() + tail, (copies / "c.db").native() + tail);
  MachineStore other;
  const auto done = Store::restore(copies / "c.db", other.file, Role::host, other.clock, other.seam);
  if (!done) FAIL(done.error().detail);
  CHECK(other.must_open().setting("only in the log").value() == "v");
  CHECK(std::distance(std::filesystem::directory_iterator{copies}, {}) == 2);
  for (const auto& entry : std::filesystem::directory_iterator{other.folder.path()})
    CHECK(entry.path().native().find(".source") == std::string::npos);
}

TEST_CASE("a store is read as its own role's alone, and a refusal names both", "[store]") {
  MachineStore machine;
  static_cast<void>(machine.must_open());
  CHECK(Store::open_read_only(machine.file, Role::host));
  const auto refused = Store::open_read_only(machine.file, Role::fleet);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::conflict);
  CHECK(refused.error().detail.find("a store of role host, not of role fleet") != std::string::npos);
}

TEST_CASE("a restore that dies at any act leaves the old store, or the new one, or says which is missing", "[store][lost][crash]") {
  for (const auto* act : {"store.name", "store.move"}) {
    for (int n = 1; n <= 4; ++n) {
      CAPTURE(act, n);
      MachineStore machine;
      CHECK(machine.must_open().set_setting("k", "now"));
      CHECK(machine.must_open().backup_to(machine.folder / "backup.db"));
      const auto child = ::fork();
      if (child == 0) {
        test::ScriptedSeam deadly;
        deadly.die_at(act, n);
        static_cast<void>(Store::restore(machine.folder / "backup.db", machine.file, Role::host, machine.clock, deadly));
        ::_exit(0);
      }
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      // Tried again it ends well, wherever the first one stopped.
      const auto again = Store::restore(machine.folder / "backup.db", machine.file, Role::host, machine.clock, machine.seam);
      if (!again) FAIL(again.error().detail);
      CHECK(machine.must_open().setting("k").value() == "now");
    }
  }
}

TEST_CASE("SQ05 connections of one process that close at the same moment leave a store that opens again", "[store][lost]") {
  MachineStore machine;
  for (int round = 0; round < 100; ++round) {
    auto first = machine.must_open();
    auto second = machine.must_open();
    REQUIRE(first.set_setting("first", std::to_string(round)));
    REQUIRE(second.set_setting("second", std::to_string(round)));
    std::thread other{[&] { const auto closed = std::move(second); }};
    { const auto closed = std::move(first); }
    other.join();
  }
  auto store = machine.must_open();
  CHECK(store.setting("first").value_or("") == "99");
}
