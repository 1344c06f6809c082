#include <ostream>

#include "cli/commands/commands.h"

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

}  // namespace berth::cli
