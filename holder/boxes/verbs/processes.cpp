#include "holder/boxes/running.h"
#include "holder/boxes/verbs/box_args.h"

// run, and what spawn takes.
namespace berth::holder::boxes::verbs {
namespace {

constexpr std::int64_t kMostOutput = std::int64_t{8} << 20;

Result<Place> place_of(Fields& fields) {
  const auto box = fields.maybe_text("box");
  const auto login = fields.maybe_text("login");
  if (box.has_value() == login.has_value())
    return fail_field(Errc::bad_request, "box", "one of box and login names where it runs");
  return box ? Place::of(TRY(BoxId::parse(*box))) : Place::of(TRY(LoginId::parse(*login)));
}

void read_environment(Fields& fields, Command& command) {
  for (const auto& [name, value] : fields.object("environment").items()) {
    if (!value.is_string()) return fields.refuse("environment", "must be texts by name");
    command.environment.emplace(name, value.get<std::string>());
  }
}

Result<ProcessArgs> parse_process(Fields& fields) {
  ProcessArgs args{.place = TRY(place_of(fields)), .command = {}, .bounds = {}, .terminal = {}};
  args.command.argv = fields.texts("command");
  args.command.dir = fields.text("dir", "");
  read_environment(fields, args.command);
  return args;
}

}  // namespace

Result<ProcessArgs> parse_run(const Json& params) {
  Fields fields{params, ""};
  auto args = TRY(parse_process(fields));
  if (fields.has("timeout_s"))
    args.bounds.limit = std::chrono::seconds{fields.integer("timeout_s", 1, 86400)};
  args.bounds.max_output = static_cast<std::size_t>(
      fields.integer("max_output", 0, kMostOutput, static_cast<std::int64_t>(args.bounds.max_output)));
  TRY(fields.finish());
  TRY(check_command(args.command));
  return args;
}

Result<ProcessArgs> parse_spawn(const Json& params) {
  Fields fields{params, ""};
  auto args = TRY(parse_process(fields));
  if (fields.has("terminal")) {
    Fields size{fields.object("terminal"), "terminal"};
    args.terminal = Terminal{.columns = static_cast<int>(size.integer("columns", 1, 1000, 80)),
                             .rows = static_cast<int>(size.integer("rows", 1, 1000, 24))};
    TRY(size.finish());
  }
  TRY(fields.finish());
  TRY(check_command(args.command));
  return args;
}

Result<Json> run(BoxSession& session, const Json& params) {
  auto args = TRY(parse_run(params));
  args.bounds.stop = session.stop;
  const auto done = TRY(session.runtime.run(args.place, args.command, args.bounds));
  return Json{{"exit_code", done.exit_code},
              {"out", done.out},
              {"err", done.err},
              {"truncated", done.truncated},
              {"timed_out", done.timed_out}};
}

}  // namespace berth::holder::boxes::verbs
