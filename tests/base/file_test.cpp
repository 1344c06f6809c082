#include "base/file.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

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

TEST_CASE("what a write that died left is gone after the next write, a remove, or a look that finds nothing to do",
          "[base][crash]") {
  for (const std::string after : {"write", "remove", "look"}) {
    for (const std::string act : {"file.write", "file.fsync", "file.rename"}) {
      CAPTURE(after, act);
      TempFolder folder;
      REQUIRE(write_file(folder / "f", "old", 0400, no_faults()));
      const auto child = ::fork();
      if (child == 0) {
        ScriptedSeam seam;
        seam.die_at(act);
        static_cast<void>(write_file(folder / "f", "new", 0400, seam));
        ::_exit(1);
      }
      int status = 0;
      REQUIRE(::waitpid(child, &status, 0) == child);
      REQUIRE(entries(folder) == 2);
      if (after == "write") REQUIRE(write_file(folder / "f", "newer", 0400, no_faults()));
      if (after == "remove") REQUIRE(remove_file(folder / "f", no_faults()));
      if (after == "look") drop_unfinished(folder / "f");
      CHECK(entries(folder) == (after == "remove" ? 0U : 1U));
      if (after == "write") CHECK(read_file(folder / "f").value() == "newer");
    }
  }
}

TEST_CASE("what lies in a temporary file's place is replaced, never written through", "[base]") {
  for (const std::string what : {"link", "pipe", "hard link"}) {
    CAPTURE(what);
    TempFolder folder;
    REQUIRE(write_file(folder / "theirs", "theirs", 0600, no_faults()));
    const auto part = folder / ".f.berth-part";
    if (what == "link") std::filesystem::create_symlink("theirs", part);
    if (what == "pipe") REQUIRE(::mkfifo(part.c_str(), 0600) == 0);
    if (what == "hard link") std::filesystem::create_hard_link(folder / "theirs", part);
    REQUIRE(write_file(folder / "f", "ours", 0600, no_faults()));
    CHECK(read_file(folder / "f").value() == "ours");
    CHECK(read_file(folder / "theirs").value() == "theirs");
    CHECK(entries(folder) == 2);
  }
}

TEST_CASE("two that write one file at once leave what one of them wrote, whole", "[base]") {
  TempFolder folder;
  const std::string texts[] = {std::string(100'000, 'a'), std::string(50'000, 'b')};
  {
    std::vector<std::jthread> writers;
    for (const auto& text : texts) {
      writers.emplace_back([&folder, &text] {
        for (int i = 0; i < 50; ++i) {
          if (!write_file(folder / "f", text, 0600, no_faults())) std::abort();
        }
      });
    }
    for (int i = 0; i < 200; ++i) {
      const auto seen = read_file(folder / "f");
      if (seen) REQUIRE((*seen == texts[0] || *seen == texts[1]));
    }
  }
  CHECK(entries(folder) == 1);
}

TEST_CASE("a pipe that nobody writes is refused as a document and holds nobody up", "[base]") {
  TempFolder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const auto read = read_file(folder / "pipe");
  REQUIRE_FALSE(read);
  CHECK_THAT(read.error().detail, Contains("/pipe is a pipe, not a regular file"));
  CHECK_THAT(read_file("/dev/null").error().detail, Contains("/dev/null is a device"));
  CHECK_THAT(read_file(folder.path()).error().detail, Contains(" is a folder"));
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
