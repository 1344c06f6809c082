#include "store/care.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/json.h"
#include "store/lock.h"

namespace berth::store {
namespace {

constexpr std::chrono::seconds kLockWait{5};  // a program that is being stopped may still write

/// No folder yet is no obstacle: it will belong to whoever makes it now.
Status check_owner(const std::filesystem::path& store) {
  const auto folder = store.parent_path();
  struct stat st {};
  if (::stat(folder.c_str(), &st) != 0)
    return errno == ENOENT ? Status{} : Status{errno_error("look at", folder.native(), errno)};
  if (st.st_uid == ::geteuid()) return {};
  return fail(Errc::conflict, "restore " + store.native() + ": its folder belongs to uid " +
                                  std::to_string(st.st_uid) + ", which could not open what uid " +
                                  std::to_string(::geteuid()) +
                                  " restores: do it as that account (runuser, setpriv)");
}

Result<Json> restore(const Cared& cared, const std::string& file, const Clock& clock, Seam& seam) {
  TRY(check_owner(cared.store));
  const auto lock = TRY(StoreLock::take(cared.store, cared.program + " store restore", kLockWait));
  const auto aside = TRY(Store::restore(file, cared.store, cared.role, clock, seam));
  return Json{{"store", cared.store.native()}, {"restored_from", file}, {"kept", aside}};
}

}  // namespace

Result<Json> take_care(const Cared& cared, const std::string& act, const std::string& file,
                       const Clock& clock, Seam& seam) {
  if (act != "verify" && file.empty())
    return fail_field(Errc::bad_request, "FILE", "store " + act + " needs a file");
  if (act == "restore") return restore(cared, file, clock, seam);
  auto store = TRY(Store::open_read_only(cared.store, cared.role));
  if (act == "backup") {
    TRY(store.backup_to(file));
    return Json{{"store", cared.store.native()}, {"backup", file}};
  }
  TRY(store.verify());
  return Json{{"store", cared.store.native()}, {"whole", true}};
}

}  // namespace berth::store
