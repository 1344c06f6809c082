#include "base/file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "catch.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

std::size_t entries(const TempFolder& folder) {
  const std::filesystem::directory_iterator all{folder.path()};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

const char* const kActs[] = {"file.create", "file.write", "file.fsync", "file.rename"};

}  // namespace

TEST_CASE("a file is replaced whole, with the mode asked for", "[base]") {
  TempFolder folder;
  const std::string bytes("a\0b\n", 4);
  const auto old_mask = ::umask(077);
  REQUIRE(write_file(folder / "f", "old", 0600, no_faults()));
  REQUIRE(write_file(folder / "f", bytes, 0644, no_faults()));
  ::umask(old_mask);
  CHECK(read_file(folder / "f").value() == bytes);
  struct stat about {};
  REQUIRE(::stat((folder / "f").c_str(), &about) == 0);
  CHECK((about.st_mode & 07777) == 0644);
  CHECK(entries(folder) == 1);
}

TEST_CASE("a write that fails at any act leaves the old file and nothing beside it", "[base]") {
  for (const char* act : kActs) {
    CAPTURE(act);
    TempFolder folder;
    REQUIRE(write_file(folder / "f", "old", 0600, no_faults()));
    ScriptedSeam seam;
    seam.fail_at(act);
    CHECK_FALSE(write_file(folder / "f", "new", 0600, seam));
    CHECK(read_file(folder / "f").value() == "old");
    CHECK(entries(folder) == 1);
  }
}

TEST_CASE("a process that dies at any act leaves the old file or the new one, whole", "[base][crash]") {
  for (const std::string act : {"file.create", "file.write", "file.fsync", "file.rename", "folder.fsync"}) {
    CAPTURE(act);
    TempFolder folder;
    REQUIRE(write_file(folder / "f", "old", 0600, no_faults()));
    const auto child = ::fork();
    if (child == 0) {
      ScriptedSeam seam;
      seam.die_at(act);
      static_cast<void>(write_file(folder / "f", "new", 0600, seam));
      ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WEXITSTATUS(status) == 137);
    CHECK(read_file(folder / "f").value() == (act == "folder.fsync" ? "new" : "old"));
  }
}

TEST_CASE("a file that is missing, a folder, or too large is an error of its own", "[base]") {
  TempFolder folder;
  std::ofstream{folder / "big"} << std::string(100'001, 'x');
  CHECK(read_file(folder / "none").error().code == Errc::not_found);
  CHECK_FALSE(read_file(folder.path()));
  CHECK(read_file(folder / "big", 100'000).error().code == Errc::too_large);
  CHECK(read_file(folder / "big", 100'001).value().size() == 100'001);
  const auto missing = write_file(folder / "no" / "f", "x", 0600, no_faults());
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().detail, Contains("no/f") && Contains("No such file"));
}

TEST_CASE("removing is durable, asks the seam, and a missing file is success", "[base]") {
  TempFolder folder;
  REQUIRE(write_file(folder / "f", "x", 0600, no_faults()));
  ScriptedSeam seam;
  seam.fail_at("file.remove");
  CHECK_FALSE(remove_file(folder / "f", seam));
  CHECK(std::filesystem::exists(folder / "f"));
  CHECK(remove_file(folder / "f", seam));
  CHECK_FALSE(std::filesystem::exists(folder / "f"));
  CHECK(remove_file(folder / "f", seam));
  CHECK(seam.count("folder.fsync") == 1);
}
