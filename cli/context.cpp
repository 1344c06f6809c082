#include "cli/context.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ostream>

#include "base/file.h"
#include "base/json.h"

namespace berth::cli {
namespace {

std::filesystem::path home() {
  if (const char* set = std::getenv("HOME"); set != nullptr && *set == '/') return set;
  const auto* account = ::getpwuid(::getuid());
  return account == nullptr ? std::filesystem::path{"/"} : std::filesystem::path{account->pw_dir};
}

/// The folder and those above it, closed to others.
Status make_folder(const std::filesystem::path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return {};
  TRY(make_folder(folder.parent_path()));
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno_error("make folder", folder.native(), errno);
  return {};
}

}  // namespace

std::filesystem::path default_store_path() {
  const char* state = std::getenv("XDG_STATE_HOME");
  // A relative value must be ignored (XDG base directory specification).
  const bool usable = state != nullptr && *state == '/';
  return (usable ? std::filesystem::path{state} : home() / ".local" / "state") / "berth" / "fleet.db";
}

std::filesystem::path Context::store_path() const {
  return globals_.store.empty() ? default_store_path() : std::filesystem::path{globals_.store};
}

Status Context::make_store_folder() const { return make_folder(store_path().parent_path()); }

Result<store::Store> Context::open_store() {
  TRY(make_store_folder());
  return store::Store::open(store_path(), store::Role::fleet, clock_, seam_);
}

Result<store::Store> Context::read_store() {
  auto store = store::Store::open_read_only(store_path(), store::Role::fleet);
  if (!store && store.error().code == Errc::not_found) {
    return fail(Errc::not_found, "there is no store at " + store_path().native() +
                                     " yet; `berth catalogue import --fleet FILE` makes it, `berth store rebuild --fleet FILE` makes "
                                     "a lost one anew, --store names another");
  }
  return store;
}

void Context::say(const std::string& sentence) {
  if (globals_.output == Output::table) out_ << sentence << '\n';
  if (globals_.output == Output::json) show(Json{{"done", sentence}});
}

void Context::show(const Table& table) { print(out_, table, globals_.output, colour_); }

void Context::show(const Json& document) {
  const bool ascii = globals_.output != Output::json;
  out_ << document.dump(2, ' ', ascii, Json::error_handler_t::replace) << '\n';
}

}  // namespace berth::cli
