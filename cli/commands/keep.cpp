#include <ostream>

#include "base/clock.h"
#include "base/seam.h"
#include "cli/commands/commands.h"
#include "store/store.h"

namespace berth::cli {

Result<int> store_backup(Context& context, const std::string& target) {
  auto store = TRY(context.read_store());
  TRY(store.backup_to(target));
  if (context.globals().output == Output::table) context.out() << "backed up to " << target << '\n';
  return 0;
}

Result<int> store_verify(Context& context) {
  auto store = TRY(context.read_store());
  TRY(store.verify());
  if (context.globals().output == Output::table) context.out() << context.store_path().native() << " is whole\n";
  return 0;
}

Result<int> store_restore(Context& context, const std::string& backup) {
  const auto aside = TRY(store::Store::restore(backup, context.store_path(), store::Role::fleet, system_clock(), no_faults()));
  if (context.globals().output == Output::table) {
    context.out() << "restored from " << backup << '\n';
    if (!aside.empty()) context.out() << "what was there is kept as " << aside << '\n';
  }
  return 0;
}

}  // namespace berth::cli
