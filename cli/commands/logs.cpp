#include <ostream>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/interrupts.h"
#include "cli/text.h"
#include "cli/verb_call.h"

namespace berth::cli {
namespace {

struct Line {
  std::string at, stream, text;
  auto operator<=>(const Line&) const = default;
};

Result<std::vector<Line>> lines_of(const Json& answer) {
  std::vector<Line> lines;
  const auto at = answer.is_object() ? answer.find("lines") : answer.end();
  if (at == answer.end() || !at->is_array()) return fail(Errc::failed, "the answer to logs has no list of lines");
  for (const auto& entry : *at) {
    Fields f{entry, "lines"};
    lines.push_back({f.text("at", ""), f.text("stream", ""), f.text("text", "")});
    TRY(f.finish());
  }
  return lines;
}

void print(Context& context, const Line& line) {
  if (context.globals().output == Output::json) {
    const Json row = {{"at", line.at}, {"stream", line.stream}, {"text", line.text}};
    context.out() << row.dump() << '\n';
  } else {
    context.out() << line.at << ' ' << (line.stream == "stderr" ? "! " : "  ") << printable(line.text) << '\n';
  }
}

/// Asked again from the last line's time on; lines of that very instant are known and not shown twice.
Result<int> follow(Context& context, bus::Bus& bus, const IssuedVerb& verb, Json params, std::vector<Line> shown,
                   const std::stop_token& stop) {
  while (!stop.stop_requested() && context.out().flush()) {
    std::this_thread::sleep_for(std::chrono::seconds{1});
    if (!shown.empty()) params["since"] = shown.back().at;
    const std::set<Line> known{shown.begin(), shown.end()};
    const auto lines = TRY(lines_of(TRY(ask(bus, verb, params))));
    for (const auto& line : lines) {
      if (!known.contains(line)) print(context, line);
    }
    if (!lines.empty()) shown = lines;
  }
  return 0;
}

}  // namespace

Result<int> logs(Context& context, const LogsArgs& args) {
  const Interrupts interrupts;
  const auto fleet = TRY(load_fleet(context));
  auto store = TRY(context.read_store());
  const auto verb = TRY(issued_verb(store, args.machine, "logs", fleet.bus.user));
  const auto bus = TRY(connect(fleet, context));
  const Json params = {{"container", args.container}, {"tail", args.tail}};
  const auto answer = TRY(ask(*bus, verb, params));
  auto lines = TRY(lines_of(answer));
  if (answer.value("truncated", false)) context.err() << "berth: older lines did not fit and were left out\n";
  for (const auto& line : lines) print(context, line);
  if (!args.follow) return 0;
  return follow(context, *bus, verb, {{"container", args.container}, {"tail", 2000}}, std::move(lines), interrupts.asked());
}

}  // namespace berth::cli
