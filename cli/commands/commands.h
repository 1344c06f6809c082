#pragma once
// Every command: what a person may say of it, and the function that does it. A function answers the exit
// status, 0 for done; an error's exit status is its row in the error table.
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"

namespace berth::cli {

// machines.cpp: what the store knows, no machine is asked.
Result<int> machines(Context& context);
Result<int> seats(Context& context);

// doctor.cpp: the store, and with --fleet the broker and each machine's host and holder; a row for each thing looked at.
Result<int> doctor(Context& context);

// containers.cpp: each machine's own answer, live.
struct ContainersArgs {
  std::string machine;  // empty: all
  bool held = false;
  bool stray = false;
  std::string state;
};
Result<int> containers(Context& context, const ContainersArgs& args);

// call.cpp
struct CallArgs {
  std::string machine;
  std::string verb;
  std::vector<std::string> params;  // key=value, key:=JSON
  std::string json;                 // a file, or '-'
};
Result<int> call(Context& context, const CallArgs& args);

// logs.cpp
struct LogsArgs {
  std::string machine;
  std::string container;
  int tail = 200;
  bool follow = false;
};
Result<int> logs(Context& context, const LogsArgs& args);

// events.cpp
struct EventsArgs {
  std::string machine;
  std::string since;
  bool follow = false;
};
Result<int> events(Context& context, const EventsArgs& args);

// catalogue.cpp
struct AssignArgs {
  bool assign = true;
  std::string module;
  std::string machine;
};
struct GrantArgs {
  bool grant = true;
  std::string caller;
  std::vector<std::string> verbs;
  std::string machine = "*";
};
Result<int> catalogue_import(Context& context);
Result<int> catalogue_check(Context& context);
Result<int> catalogue_show(Context& context);
Result<int> assign(Context& context, const AssignArgs& args);
Result<int> grants_list(Context& context);
Result<int> grants_render(Context& context);
Result<int> grants_forget(Context& context, const GrantArgs& args);
Result<int> grant(Context& context, const GrantArgs& args);

// push.cpp
struct PushArgs {
  std::vector<std::string> machines;  // empty: all that take part
  bool plan = false;
};
Result<int> push(Context& context, const PushArgs& args);

// migrate.cpp
struct MigrateArgs {
  int to_step = 5;
  std::vector<std::string> machines;
  bool yes = false;
  std::string reason;  // of set-aside
  bool bring_in = false;
  std::string file;    // report: where to; empty: named after the fleet and the migration, here
};
Result<int> migrate_plan(Context& context, const MigrateArgs& args);
Result<int> migrate_run(Context& context, const MigrateArgs& args);
Result<int> migrate_back_out(Context& context, const MigrateArgs& args);
Result<int> migrate_status(Context& context);
Result<int> migrate_set_aside(Context& context, const MigrateArgs& args);
Result<int> migrate_report(Context& context, const MigrateArgs& args);

// audit.cpp
struct AuditArgs {
  std::string name;     // empty: list the audits
  std::string sql;      // with the name "sql": the statement
  std::string machine;  // empty: all
};
Result<int> audit(Context& context, const AuditArgs& args);

// keep.cpp: the store itself.
Result<int> store_backup(Context& context, const std::string& target);
Result<int> store_verify(Context& context);
Result<int> store_restore(Context& context, const std::string& backup);

// rebuild.cpp
struct RebuildArgs {
  std::vector<std::string> without;  // machines to go on without
};
Result<int> store_rebuild(Context& context, const RebuildArgs& args);

}  // namespace berth::cli
