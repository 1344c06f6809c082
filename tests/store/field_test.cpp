// What happened to others' stores, as cases of ours. The lost ones (SQ05) are in lost_test.cpp, the full disk (SQ01)
// is in full_disk_test.cpp.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/json.h"
#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

std::uintmax_t log_size(const StoreWorld& w) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(w.file.native() + "-wal", ignored);
  return ignored ? 0 : size;
}

}  // namespace

TEST_CASE("SQ02 what reads and then writes waits for another writer instead of failing at once", "[store][field]") {
  StoreWorld w;
  auto one = w.open();
  auto other = w.open();
  REQUIRE(one.set_setting("n", "0"));
  const auto count_up = [](store::Store& s) {
    return s.transaction([&]() -> Status {
      const auto n = TRY(s.setting("n")).value_or("0");
      return s.set_setting("n", std::to_string(std::stoi(n) + 1));
    });
  };
  std::jthread beside{[&] {
    for (int i = 0; i < 50; ++i) CHECK(count_up(other));
  }};
  for (int i = 0; i < 50; ++i) REQUIRE(count_up(one));
  beside.join();
  CHECK(one.setting("n").value() == "100");  // and no step was lost to an old snapshot
}

TEST_CASE("SQ03 a reader that stays lets the log grow, and afterwards it is no larger than its bound", "[store][field]") {
  StoreWorld w;
  auto s = w.open();
  REQUIRE(s.set_setting("k", "v"));
  {
    SQLite::Database reader{w.file.native(), SQLite::OPEN_READONLY};
    reader.exec("BEGIN");
    CHECK(reader.execAndGet("SELECT count(*) FROM setting").getInt() == 1);
    for (int i = 0; i < 50; ++i) REQUIRE(s.set_setting("big", std::string(500'000, static_cast<char>('a' + i % 26))));
    CHECK(log_size(w) > std::uintmax_t{20} << 20);
  }
  for (int i = 0; i < 20; ++i) REQUIRE(s.set_setting("small", std::to_string(i)));
  CHECK(log_size(w) <= std::uintmax_t{16} << 20);
  CHECK(s.verify());
}

TEST_CASE("SQ06 a value that a column's affinity would change comes back as it was", "[store][field]") {
  StoreWorld w;
  auto s = w.open();
  const std::string zero{"a\0b", 3};
  const std::vector<std::string> values{"007", "18446744073709551615", "9223372036854775808", "1e3", "3.0", "-0", " 1", zero};
  for (const auto& value : values) {
    REQUIRE(s.set_setting("k", value));
    CHECK(s.setting("k").value() == value);
  }
  // No table may change a value behind our back: every one is STRICT.
  const auto loose = s.table("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'", {});
  REQUIRE(loose);
  CHECK(loose->rows.empty());
}

TEST_CASE("SQ08 a reader who may not write in the store's folder is told so in plain words, and nothing is opened up",
          "[store][field]") {
  if (::getuid() != 0) return;
  StoreWorld w;
  { REQUIRE(w.open().set_setting("k", "v")); }
  ::chmod(w.folder.path().c_str(), 0755);
  ::chmod(w.file.c_str(), 0644);  // as somebody might, to let a status tool read
  int pipe_ends[2];
  REQUIRE(::pipe(pipe_ends) == 0);
  const auto child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(2);
    auto opened = store::Store::open_read_only(w.file);
    const auto value = opened ? opened->setting("k") : Result<std::optional<std::string>>{opened.error()};
    const auto said = value ? "read " + value->value_or("?") : value.error().detail;
    const auto written = ::write(pipe_ends[1], said.data(), said.size());
    ::_exit(written > 0 ? 0 : 1);
  }
  ::close(pipe_ends[1]);
  char buffer[1024];
  const auto n = ::read(pipe_ends[0], buffer, sizeof buffer);
  ::close(pipe_ends[0]);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  const std::string said{buffer, n > 0 ? static_cast<std::size_t>(n) : 0};
  CAPTURE(said);
  CHECK_THAT(said, Contains(w.file.native()) && Contains("this account may not write"));
  struct stat about {};
  REQUIRE(::stat(w.folder.path().c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0755);
  REQUIRE(::stat(w.file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0644);
}
