#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/owned.h"
#include "schema/queries.h"
#include "store/impl.h"
#include "store/marker.h"
#include "store/sqlite_error.h"

// One process's time with a machine's store, as its marker tells it.
namespace berth::store {
namespace {

constexpr std::string_view kSession = "store.session";

/// The marker's turn: connections of one store, in this process or another, look at it and write it one after the
/// other. Its folder is what is locked, so that nothing more lies there. Without the lock it goes on.
OwnedFd marker_turn(const std::filesystem::path& store) {
  const auto folder = store.has_parent_path() ? store.parent_path() : std::filesystem::path{"."};
  OwnedFd turn{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (turn) static_cast<void>(::flock(turn.get(), LOCK_EX));
  return turn;
}

/// Whether the marker is the one this session wrote or found: a later one speaks for itself.
bool still_says(const std::filesystem::path& store, const std::string& session) {
  const auto marker = read_marker(store);
  return marker && *marker && (*marker)->session == session;
}

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
  const auto turn = marker_turn(path);
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

/// Said before SQLite closes and folds its log in; unsaid where others still have it open. A connection that began
/// its session later has the last word: its session is the one in the store.
void Store::close() {
  if (!impl_) return;
  const auto path = impl_->path;
  const Marker marker{impl_->id, false, impl_->session};
  const bool speaks = impl_->keeps_marker && impl_->written;
  const auto turn = speaks ? marker_turn(path) : OwnedFd{};
  const bool says = speaks && still_says(path, marker.session) && write_marker(path, marker, no_faults());
  impl_.reset();
  if (says && has_log(path)) static_cast<void>(write_marker(path, {marker.store, true, marker.session}, no_faults()));
}

}  // namespace berth::store
