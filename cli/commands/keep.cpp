#include "base/clock.h"
#include "base/seam.h"
#include "cli/commands/commands.h"
#include "store/store.h"

namespace berth::cli {

Result<int> store_backup(Context& context, const std::string& target) {
  auto store = TRY(context.read_store());
  TRY(store.backup_to(target));
  context.say("backed up to " + target);
  return 0;
}

Result<int> store_verify(Context& context) {
  auto store = TRY(context.read_store());
  TRY(store.verify());
  context.say(context.store_path().native() + " is whole");
  return 0;
}

Result<int> store_restore(Context& context, const std::string& backup) {
  const auto aside = TRY(store::Store::restore(backup, context.store_path(), store::Role::fleet, system_clock(), no_faults()));
  context.say("restored from " + backup + (aside.empty() ? "" : "; what was there is kept as " + aside));
  return 0;
}

}  // namespace berth::cli
