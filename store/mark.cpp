#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "base/owned.h"
#include "store/upgrade.h"

namespace berth::store {
namespace {

/// Offsets in the header of every SQLite file (https://sqlite.org/fileformat.html, "The Database Header").
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kUserVersionAt = 60;
constexpr std::size_t kApplicationIdAt = 68;
constexpr std::string_view kMagic{"SQLite format 3\0", 16};
using Header = std::array<unsigned char, kHeaderSize>;

int big_endian(const Header& header, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | header[at + i];
  return static_cast<int>(value);
}

Error no_store(const std::filesystem::path& path, std::string_view why) {
  return fail(Errc::conflict, "store " + path.native() + ": " + std::string{why} + "; it was left untouched");
}

}  // namespace

SchemaMark schema_mark(SQLite::Database& db) {
  return {db.execAndGet("PRAGMA application_id").getInt(), db.execAndGet("PRAGMA user_version").getInt()};
}

Result<SchemaMark> schema_mark_of_file(const std::filesystem::path& path) {
  const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd) return errno_error("open the store", path.native(), errno);
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return errno_error("read the store", path.native(), errno);
  if (!S_ISREG(about.st_mode)) return no_store(path, "this is not a regular file");
  if (about.st_size == 0) return no_store(path, "the file is there but empty, so its contents were lost");
  Header header{};
  const auto n = ::pread(fd.get(), header.data(), header.size(), 0);
  if (n < 0) return errno_error("read the store", path.native(), errno);
  const std::string_view magic{reinterpret_cast<const char*>(header.data()), kMagic.size()};
  if (static_cast<std::size_t>(n) < kHeaderSize || magic != kMagic) {
    return no_store(path, "this is not an SQLite database");
  }
  return SchemaMark{big_endian(header, kApplicationIdAt), big_endian(header, kUserVersionAt)};
}

}  // namespace berth::store
