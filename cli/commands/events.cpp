#include <ostream>

#include "base/error.h"
#include "base/json.h"
#include "bus/subjects.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/intake.h"
#include "cli/interrupts.h"
#include "cli/known.h"
#include "cli/since.h"
#include "cli/text.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

using store::Value;
constexpr store::Query<std::int64_t()> kEnd{schema::queries::events_end};

Value or_null(const std::string& text) { return text.empty() ? Value{} : Value{text}; }

Result<Table> kept(store::Store& store, const EventsArgs& args, const std::string& since, std::int64_t above) {
  return store.table(schema::queries::events_kept, {or_null(args.machine), or_null(since), above});
}

/// One event a line, as each comes; a table would have to wait for its last row to know its widths.
void print_line(Context& context, const std::vector<Value>& row) {
  std::string line;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto* text = std::get_if<std::string>(&row[i]);
    line += (i == 0 ? "" : "  ") + (text == nullptr ? "-" : printable(*text));
  }
  context.out() << line << '\n';
}

void print_new(Context& context, const Table& table) {
  if (context.globals().output == Output::table) {
    for (const auto& row : table.rows) print_line(context, row);
  } else if (!table.rows.empty()) {
    context.show(table);
  }
  context.out().flush();
}

/// The streams, told apart for a person by what comes in.
struct Source {
  std::unique_ptr<bus::Bus> bus;
  std::string events;
  std::string reports;
};

Result<Source> open_source(Context& context) {
  const auto fleet = TRY(load_fleet(context));
  return Source{TRY(connect(fleet, context)), bus::stream_name(fleet.name, "EVENTS"), bus::stream_name(fleet.name, "REPORTS")};
}

Status take(Context& context, Source& source, store::Store& store, std::chrono::milliseconds wait) {
  const auto tell = [&](const Error& error) { context.err() << "berth: passed over: " << printable(to_text(error)) << '\n'; };
  TRY(take_in(*source.bus, store, source.reports, std::chrono::milliseconds{50}, tell));
  TRY(take_in(*source.bus, store, source.events, wait, tell));
  return {};
}

Result<int> follow(Context& context, const EventsArgs& args, const std::string& since, Source& source, store::Store& store,
                   const std::stop_token& stop) {
  while (!stop.stop_requested() && context.out()) {
    const auto end = TRY(store.first(kEnd)).value_or(0);
    if (const auto taken = take(context, source, store, std::chrono::seconds{1}); !taken) {
      if (taken.error().code != Errc::unreachable && taken.error().code != Errc::timeout) return taken.error();
      continue;  // the bus keeps trying; what it missed stays in the stream
    }
    print_new(context, TRY(kept(store, args, since, end)));
  }
  return 0;
}

}  // namespace

Result<int> events(Context& context, const EventsArgs& args) {
  const auto since = args.since.empty() ? std::string{} : TRY(parse_since(args.since, context.clock().now()));
  if (context.globals().fleet.empty() && !args.follow) {  // what is known already needs no bus
    auto store = TRY(context.read_store());
    TRY(check_machine(store, args.machine));
    context.show(TRY(kept(store, args, since, 0)));
    return 0;
  }
  const Interrupts interrupts;
  auto store = TRY(context.open_store());
  TRY(check_machine(store, args.machine));
  auto source = TRY(open_source(context));
  TRY(take(context, source, store, std::chrono::milliseconds{200}));
  if (!args.follow) {
    context.show(TRY(kept(store, args, since, 0)));
    return 0;
  }
  print_new(context, TRY(kept(store, args, since, 0)));
  return follow(context, args, since, source, store, interrupts.asked());
}

}  // namespace berth::cli
