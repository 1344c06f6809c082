// A store that is made whole before it has its name.
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "schema/queries.h"
#include "store/impl.h"
#include "store/make.h"
#include "store/marker.h"

namespace berth::store {
namespace {

constexpr Query<std::int64_t()> kRowsThatCount{schema::queries::store_rows};

/// link, not rename: what somebody made there meanwhile stays.
Status name_it(const std::filesystem::path& fresh, const std::filesystem::path& path, Seam& seam) {
  TRY(seam.before("store.name", path.native()));
  if (::link(fresh.c_str(), path.c_str()) != 0) {
    if (errno == EEXIST)
      return fail(Errc::conflict, "store " + path.native() + ": another was made there meanwhile");
    return errno_error("make", path.native(), errno);
  }
  TRY(sync_folder(path));
  ::unlink(fresh.c_str());
  return {};
}

}  // namespace

/// Nothing there, or nothing in it: a file without a byte, or a store that knows no machine and remembers
/// nothing.
Status Store::check_vacant(const std::filesystem::path& path, Role role) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) || (std::filesystem::is_empty(path, error) && !error)) return {};
  std::int64_t rows = 0;
  {
    auto there = TRY(open_read_only(path, role));
    rows = TRY(there.first(kRowsThatCount)).value_or(0);
  }
  if (rows == 0) return check_unused(path);
  return fail(Errc::conflict,
              "store " + path.native() +
                  " is there and not empty: nothing is put in its place by itself. Keep it, or move it "
                  "away with its -wal and -shm first");
}

Status Store::make_filled(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam,
                          const std::function<Status(Store&)>& fill) {
  TRY(check_vacant(path, role));
  TRY(seam.before("store.make", path.native()));
  const std::filesystem::path fresh = path.native() + ".rebuilt";
  ::unlink(fresh.c_str());  // what a crash left of an earlier try
  TRY(make_whole(fresh, seam, [&](const std::filesystem::path& temporary) -> Status {
    TRY(fill_with_schema(temporary, role, clock, seam));
    {
      auto store = TRY(open(temporary, role, clock, seam));
      TRY(fill(store));
      TRY(store.verify());
    }
    if (has_log(temporary))
      return fail(Errc::failed,
                  "make " + path.native() + ": somebody else has " + temporary.native() + " open");
    return {};
  }));
  TRY(check_vacant(path, role));  // filling takes a while: what somebody made there meanwhile stays
  // A log that was left of the lost one must not be played into this.
  if (const auto aside = set_aside(path, clock, seam); !aside) return aside.error();
  return name_it(fresh, path, seam);
}

}  // namespace berth::store
