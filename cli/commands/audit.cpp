#include "store/audit.h"

#include "cli/commands/commands.h"
#include "cli/known.h"

namespace berth::cli {
namespace {

Table catalogue_of_audits() {
  Table table{.columns = {"name", "title", "asks"}, .rows = {}};
  for (const auto& audit : store::audits()) table.rows.push_back({audit.name, audit.title, audit.asks});
  return table;
}

}  // namespace

Result<int> audit(Context& context, const AuditArgs& args) {
  if (args.name.empty()) {
    context.show(catalogue_of_audits());
    return 0;
  }
  if (args.name == "sql") {
    auto store = TRY(context.read_store());  // says how a missing one comes to be
    context.show(TRY(store::run_select(context.store_path(), args.sql, store::Role::fleet)));
    return 0;
  }
  if (!args.sql.empty()) {
    return fail_field(Errc::bad_request, "audit", "audit " + args.name + " takes no statement; that is `berth audit sql`");
  }
  const auto audit = TRY(store::find_audit(args.name));
  auto store = TRY(context.read_store());
  TRY(check_machine(store, args.machine));
  context.show(TRY(store::run_audit(store, audit, args.machine)));
  return 0;
}

}  // namespace berth::cli
