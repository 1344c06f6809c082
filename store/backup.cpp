#include <SQLiteCpp/Backup.h>

#include "store/impl.h"
#include "store/make.h"
#include "store/sqlite_error.h"

namespace berth::store {
namespace {

/// The first row of a check that answers nothing or "ok" when all is well.
std::string complaint(SQLite::Database& db, const char* check) {
  SQLite::Statement rows{db, check};
  if (!rows.executeStep()) return {};
  const auto said = rows.getColumn(0).getString();
  return said == "ok" ? "" : said;
}

}  // namespace

Status Store::backup_to(const std::filesystem::path& target) {
  TRY(impl_->seam->before("store.backup", target.native()));
  return make_whole(target, *impl_->seam, [&](const std::filesystem::path& temporary) {
    return catching(target, "backup", [&]() -> Status {
      SQLite::Database copy{temporary.native(), SQLite::OPEN_READWRITE};
      SQLite::Backup backup{copy, impl_->db};
      backup.executeStep(-1);
      return {};
    });
  });
}

Status Store::verify() {
  return catching(impl_->path, "verify", [&]() -> Status {
    const auto damage = complaint(impl_->db, "PRAGMA quick_check(1)");
    if (!damage.empty()) return fail(Errc::failed, "store " + impl_->path.native() + ": damaged: " + damage);
    const auto table = complaint(impl_->db, "PRAGMA foreign_key_check");
    if (!table.empty()) {
      return fail(Errc::failed, "store " + impl_->path.native() + ": table " + table + " has a broken reference");
    }
    return {};
  });
}

}  // namespace berth::store
