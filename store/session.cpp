#include <sys/stat.h>

#include "base/hash.h"
#include "schema/queries.h"
#include "store/impl.h"
#include "store/marker.h"
#include "store/sqlite_error.h"

// One process's time with a machine's store, as its marker tells it.
namespace berth::store {
namespace {

constexpr std::string_view kSession = "store.session";

}  // namespace

bool has_log(const std::filesystem::path& store) {
  struct stat about {};
  return ::stat((store.native() + "-wal").c_str(), &about) == 0;
}

/// A log that went while commits were only in it: the file opens, sound and older than what was promised.
Status Store::check_log(bool has_log) {
  const auto marker = TRY(read_marker(impl_->path));
  if (!marker) return {};
  if (marker->store != id()) {
    return fail(Errc::conflict, "store " + impl_->path.native() + ": this is the store " + id() + ", and " + marker->store +
                                    " was here before; if that is meant, remove " + marker_path(impl_->path).native() + " first");
  }
  const bool whole = !marker->written || has_log || TRY(setting(kSession)).value_or("") == marker->session;
  if (whole) {
    impl_->session = marker->session;
    impl_->written = marker->written;  // whoever closes it cleanly says so, also if it only read
    return {};
  }
  return fail(Errc::conflict, "store " + impl_->path.native() +
                                  ": its write-ahead log (-wal) is gone, and commits with it: what it says is older than what was done. "
                                  "Put a backup in its place (store restore FILE); to go on with what is left, remove " +
                                  marker_path(impl_->path).native() + " first");
}

/// Before the first transaction of this process: the marker first, so that what is committed is always marked.
Status Store::Impl::mark_session() {
  if (!keeps_marker || begun) return {};
  session = random_hex(8);
  written = true;  // even if the write fails half-way: what is closed cleanly must say so
  return write_marker(path, {id, true, session}, *seam);
}

/// In that first transaction.
Status Store::Impl::put_session() {
  if (!keeps_marker || begun) return {};
  return catching(path, "begin", [&]() -> Status {
    SQLite::Statement statement{db, std::string{schema::queries::setting_set}};
    bind_values(statement, {std::string{kSession}, session, *now});
    statement.exec();
    return {};
  });
}

/// Said before SQLite closes and folds its log in; unsaid where others still have it open.
void Store::close() {
  if (!impl_) return;
  const auto path = impl_->path;
  const Marker marker{impl_->id, false, impl_->session};
  const bool says = impl_->keeps_marker && impl_->written && write_marker(path, marker, no_faults());
  impl_.reset();
  if (says && has_log(path)) static_cast<void>(write_marker(path, {marker.store, true, marker.session}, no_faults()));
}

}  // namespace berth::store
