#include <sqlite3.h>

#include "store/impl.h"
#include "store/sqlite_error.h"

namespace berth::store {
/// Leaves no transaction behind, also when the body threw.
struct Store::Impl::Ending {
  Impl& impl;
  ~Ending() {
    // What SQLite rolled back itself (a full disk at COMMIT) must not be rolled back twice.
    if (impl.in_sqlite_transaction()) impl.db.tryExec("ROLLBACK");
    impl.now.reset();
    impl.doom.reset();
  }
};

bool Store::Impl::in_sqlite_transaction() { return sqlite3_get_autocommit(db.getHandle()) == 0; }

/// After a failure that made SQLite drop the whole transaction, a further statement would be committed by
/// itself, half of something that was to be whole.
Status Store::Impl::usable() {
  if (!now || in_sqlite_transaction()) return {};
  if (doom) return *doom;
  return fail(Errc::failed, "store " + path.native() + ": the transaction was rolled back by an earlier failure");
}

Status Store::Impl::commit() {
  if (doom) return *doom;
  TRY(usable());
  TRY(seam->before("store.commit", path.native()));
  return catching(path, "commit", [&]() -> Status {
    db.exec("COMMIT");
    return {};
  });
}

Status Store::Impl::outermost(const std::function<Status()>& body) {
  TRY(mark_session());
  TRY(catching(path, "begin", [&]() -> Status {
    db.exec("BEGIN IMMEDIATE");
    return {};
  }));
  const Ending ending{*this};
  now = to_rfc3339(clock->now());
  TRY(put_session());
  TRY(body());
  TRY(commit());
  begun = true;
  return {};
}

Status Store::Impl::joined(const std::function<Status()>& body) {
  if (doom) return *doom;
  auto done = body();
  if (!done && !doom) doom = done.error();
  return done;
}

Status Store::transaction(const std::function<Status()>& body) {
  return impl_->now ? impl_->joined(body) : impl_->outermost(body);
}

std::string Store::now() const { return impl_->now ? *impl_->now : to_rfc3339(impl_->clock->now()); }

}  // namespace berth::store
