#include <sqlite3.h>
#include <sys/stat.h>

#include "base/file.h"
#include "schema/queries.h"
#include "store/impl.h"
#include "store/make.h"
#include "store/marker.h"
#include "store/sqlite_error.h"
#include "store/upgrade.h"

namespace berth::store {
namespace {

constexpr int kBusyTimeoutMs = 5000;

struct Identity {
  std::string store;
  std::string role;
  static Identity from(const Columns& c) { return {c.text(0), c.text(1)}; }
};
constexpr Query<Identity()> kIdentity{schema::queries::store_identity_read};

/// Until the file is known to be ours, closing it must not move a byte of its WAL into it.
void checkpoint_on_close(SQLite::Database& db, bool on) {
  sqlite3_db_config(db.getHandle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

void set_pragmas(SQLite::Database& db, bool read_only) {
  db.exec("PRAGMA foreign_keys = ON");
  db.exec("PRAGMA recursive_triggers = ON");  // so that what REPLACE deletes meets the delete triggers
  if (read_only) {
    db.exec("PRAGMA query_only = ON");
    return;
  }
  db.exec("PRAGMA journal_mode = WAL");
  db.exec("PRAGMA synchronous = FULL");
  db.exec("PRAGMA journal_size_limit = 16777216");  // what a long reader made the log grow to is given back
}

/// A copy made with a wide umask, or by hand: closed to all others before anything is written to it.
Status close_to_others(const std::filesystem::path& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return errno_error("read the store", path.native(), errno);
  if ((about.st_mode & 0177) != 0 && ::chmod(path.c_str(), 0600) != 0) {
    return errno_error("chmod the store", path.native(), errno);
  }
  return {};
}

Status check_role(const Identity& identity, Role role, const std::filesystem::path& path) {
  if (identity.role == role_name(role)) return {};
  return fail(Errc::conflict, "store " + path.native() + ": this is a store of role " + identity.role + ", not of role " +
                                  std::string{role_name(role)});
}

/// The file's name, for SQLite; a frozen one's as a URI, where alone that can be said.
std::string name_of(const std::filesystem::path& path, Access access) {
  if (access != Access::frozen) return path.native();
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-~";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const auto whole = std::filesystem::absolute(path);
  std::string uri = "file://";
  for (const char c : whole.native()) {
    const auto byte = static_cast<unsigned char>(c);
    if (kPlain.find(c) != std::string_view::npos) uri += c;
    else uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return uri + "?immutable=1";
}

int flags_of(Access access) {
  if (access == Access::write) return SQLite::OPEN_READWRITE;
  return access == Access::read ? SQLite::OPEN_READONLY : SQLite::OPEN_READONLY | SQLite::OPEN_URI;
}

}  // namespace

Result<std::unique_ptr<Store::Impl>> Store::Impl::open(const std::filesystem::path& path, Access access,
                                                       const Clock& clock, Seam& seam) {
  TRY(check_file(path));
  return catching(path, "open", [&]() -> Result<std::unique_ptr<Impl>> {
    SQLite::Database db{name_of(path, access), flags_of(access), kBusyTimeoutMs};
    checkpoint_on_close(db, false);
    TRY(check_mark(TRY(schema_mark_of(db, path)), path, newest_version()));
    checkpoint_on_close(db, true);
    auto impl = std::make_unique<Impl>(path, std::move(db), clock, seam);
    impl->read_only = access != Access::write;
    return impl;
  });
}

Result<Store> Store::open(const std::filesystem::path& path, Role role, const Clock& clock, Seam& seam) {
  TRY(seam.before("store.open", path.native()));
  const bool of_machine = role != Role::fleet;  // the operator's can be rebuilt from what machines say
  if (of_machine && !std::filesystem::exists(path)) TRY(check_not_lost(path));
  const bool had_log = has_log(path);  // opening makes one
  TRY(make_if_absent(path, role, clock, seam));
  Store store{TRY(Impl::open(path, Access::write, clock, seam))};
  const auto identity = TRY(store.first(kIdentity));
  if (!identity) return fail(Errc::failed, "store " + path.native() + ": it has no identity row; it is damaged");
  TRY(check_role(*identity, role, path));
  TRY(close_to_others(path));
  store.impl_->id = identity->store;
  store.impl_->keeps_marker = of_machine;
  if (of_machine) TRY(store.check_log(had_log));
  store.impl_->statements.clear();  // an upgrade may change what they were prepared against
  TRY(catching(path, "open", [&]() -> Status {
    set_pragmas(store.impl_->db, false);
    return upgrade(store.impl_->db, path, migrations(), seam);
  }));
  return store;
}

Result<Store> Store::open_read_only(const std::filesystem::path& path, std::optional<Role> role) {
  return open_to_read(path, role, false);
}

Result<Store> Store::open_to_read(const std::filesystem::path& path, std::optional<Role> role, bool frozen) {
  Store store{TRY(Impl::open(path, frozen ? Access::frozen : Access::read, system_clock(), no_faults()))};
  TRY(catching(path, "open", [&]() -> Status {
    set_pragmas(store.impl_->db, true);
    return {};
  }));
  const auto identity = TRY(store.first(kIdentity));
  if (role && !identity) return fail(Errc::failed, "store " + path.native() + ": it has no identity row; it is damaged");
  if (role) TRY(check_role(*identity, *role, path));
  if (identity) store.impl_->id = identity->store;
  return store;
}

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&& other) noexcept {
  if (this == &other) return *this;
  close();
  impl_ = std::move(other.impl_);
  return *this;
}
Store::~Store() { close(); }

const std::string& Store::id() const { return impl_->id; }
const std::filesystem::path& Store::path() const { return impl_->path; }

}  // namespace berth::store
