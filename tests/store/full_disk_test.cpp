#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

/// A real file system that can really be full; needs the right to mount.
class TinyDisk {
 public:
  explicit TinyDisk(const std::filesystem::path& at) : at_(at) {
    std::filesystem::create_directory(at_);
    mounted_ = ::mount("tmpfs", at_.c_str(), "tmpfs", 0, "size=1m") == 0;
    why_ = mounted_ ? "" : std::strerror(errno);
  }
  ~TinyDisk() {
    if (mounted_) ::umount2(at_.c_str(), MNT_DETACH);
  }
  bool usable() const {
    if (mounted_) return true;
    const char* strict = std::getenv("BERTH_NO_SKIP");
    if (strict != nullptr && std::string_view{strict} == "1") FAIL("cannot mount a tmpfs: " << why_);
    std::cerr << "SKIPPED: a test needs the right to mount a tmpfs: " << why_ << '\n';
    return false;
  }
  void fill() const {
    const int fd = ::open((at_ / "ballast").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string block(4096, 'x');
    while (::write(fd, block.data(), block.size()) > 0) {
    }
    ::close(fd);
  }
  void empty() const { ::unlink((at_ / "ballast").c_str()); }

 private:
  std::filesystem::path at_;
  bool mounted_ = false;
  std::string why_;
};

}  // namespace

TEST_CASE("SQ01 a full disk refuses the write, keeps the store whole, and it goes on when there is room", "[store][disk]") {
  StoreWorld w;
  const TinyDisk disk{w.folder / "disk"};
  if (!disk.usable()) return;
  w.file = w.folder / "disk" / "s.db";
  auto s = w.open();
  REQUIRE(s.set_setting("k", "before"));
  disk.fill();

  // Small writes may still fit into what the WAL has already; a large one cannot.
  const auto refused = s.transaction([&]() -> Status {
    TRY(s.set_setting("k", "half"));
    return s.set_setting("big", std::string(400'000, 'y'));
  });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::failed);
  CHECK_THAT(refused.error().detail, Contains("disk full") && Contains(w.file.native()));
  CHECK(s.setting("k").value().value() == "before");
  CHECK_FALSE(s.setting("big").value());

  disk.empty();
  CHECK(s.set_setting("k", "after"));
  CHECK(s.verify());
  CHECK(w.open().setting("k").value().value() == "after");
}

TEST_CASE("writing until the disk is full loses no committed row, at every size of the last one", "[store][disk]") {
  StoreWorld w;
  const TinyDisk disk{w.folder / "disk"};
  if (!disk.usable()) return;
  w.file = w.folder / "disk" / "s.db";
  auto s = w.open();
  int committed = 0;
  Status last;
  for (int i = 0; i < 2000 && last; ++i) {
    last = s.set_setting("row" + std::to_string(i), std::string(static_cast<std::size_t>(500 + i), 'z'));
    committed += last ? 1 : 0;
  }
  REQUIRE_FALSE(last);
  CHECK_THAT(last.error().detail, Contains("disk full"));
  auto reader = w.try_open();
  REQUIRE(reader);
  CHECK(reader->table("SELECT count(*) FROM setting", {}).value().rows[0][0] == store::Value{std::int64_t{committed}});
}

TEST_CASE("no store is made on a full disk, and nothing of one stays", "[store][disk]") {
  StoreWorld w;
  const TinyDisk disk{w.folder / "disk"};
  if (!disk.usable()) return;
  w.file = w.folder / "disk" / "s.db";
  disk.fill();
  const auto refused = w.try_open();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().detail, Contains("disk full") || Contains("No space left"));
  CHECK_FALSE(std::filesystem::exists(w.file));
  CHECK_FALSE(std::filesystem::exists(w.file.native() + ".new"));
  disk.empty();
  CHECK(w.try_open());
}
