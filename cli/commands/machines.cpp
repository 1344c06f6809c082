#include "cli/commands/commands.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

Result<int> list(Context& context, std::string_view sql) {
  auto store = TRY(context.read_store());
  context.show(TRY(store.table(sql, {})));
  return 0;
}

}  // namespace

Result<int> machines(Context& context) { return list(context, schema::queries::machines_known); }

Result<int> seats(Context& context) { return list(context, schema::queries::seats_by_machine); }

}  // namespace berth::cli
