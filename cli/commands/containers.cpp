#include <atomic>
#include <ostream>
#include <thread>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "cli/known.h"
#include "cli/text.h"
#include "cli/verb_call.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

constexpr store::Query<std::string()> kMachines{schema::queries::machines_named};
constexpr int kPages = 1000;          // a machine that pages for ever is not listed for ever
constexpr std::size_t kAtOnce = 8;

/// What one machine said: its containers, or why they are unknown.
struct Answer {
  std::string machine;
  Result<std::vector<Json>> containers = std::vector<Json>{};
};

Result<std::vector<Json>> list_all(bus::Bus& bus, const IssuedVerb& list, Json params) {
  std::vector<Json> all;
  for (int page = 0; page < kPages; ++page) {
    const auto answer = TRY(ask(bus, list, params));
    Fields f{answer, list.machine + "'s answer"};
    for (const auto& container : f.array("containers")) all.push_back(container);
    const auto next = f.maybe_text("next");
    TRY(f.finish());
    if (!next || next->empty()) return all;
    params["after"] = *next;
  }
  return fail(Errc::failed, list.machine + ": its list does not end after " + std::to_string(kPages) + " pages");
}

Json params_of(const ContainersArgs& args) {
  Json params = Json::object();
  if (args.held || args.stray) params["owner"] = args.held ? "held" : "stray";
  if (!args.state.empty()) params["state"] = args.state;
  return params;
}

Result<std::vector<std::string>> machines_asked(store::Store& store, const std::string& only) {
  if (!only.empty()) return std::vector{only};
  return store.all(kMachines);
}

/// Every machine at once, a few at a time; each answer lands in its own place.
void ask_all(bus::Bus& bus, const std::vector<Result<IssuedVerb>>& verbs, const Json& params, std::vector<Answer>& answers) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (auto i = next++; i < verbs.size(); i = next++) {
      answers[i].containers = verbs[i] ? list_all(bus, *verbs[i], params) : Result<std::vector<Json>>{verbs[i].error()};
    }
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 0; i < std::min(kAtOnce, verbs.size()); ++i) workers.emplace_back(work);
}

store::Value text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || at->is_null()) return {};
  if (at->is_number_integer()) return at->get<std::int64_t>();
  return at->is_string() ? at->get<std::string>() : at->dump();
}

void add_rows(Table& table, const Answer& answer, bool any_unknown) {
  if (!answer.containers) {
    table.rows.push_back({answer.machine, {}, std::string{"unknown"}, {}, {}, {}, {}, {}, {}, to_text(answer.containers.error())});
    return;
  }
  for (const auto& c : *answer.containers) {
    auto& row = table.rows.emplace_back();
    row.emplace_back(answer.machine);
    for (const char* key : {"name", "state", "health", "assignment", "image", "restarts", "started_at", "id"}) {
      row.push_back(text_at(c, key));
    }
    if (any_unknown) row.emplace_back();
  }
}

Table table_of(const std::vector<Answer>& answers, bool any_unknown) {
  Table table{.columns = {"machine", "name", "state", "health", "assignment", "image", "restarts", "started_at", "id"}, .rows = {}};
  if (any_unknown) table.columns.emplace_back("why_unknown");
  for (const auto& answer : answers) add_rows(table, answer, any_unknown);
  return table;
}

}  // namespace

Result<int> containers(Context& context, const ContainersArgs& args) {
  auto store = TRY(context.read_store());
  const auto fleet = TRY(load_fleet(context));
  TRY(check_machine(store, args.machine));
  const auto names = TRY(machines_asked(store, args.machine));
  std::vector<Result<IssuedVerb>> verbs;
  std::vector<Answer> answers;
  for (const auto& name : names) {
    verbs.push_back(issued_verb(store, name, "list", fleet.bus.user));
    answers.push_back({.machine = name});
  }
  const auto bus = TRY(connect(fleet, context));
  ask_all(*bus, verbs, params_of(args), answers);
  const bool any_unknown = std::ranges::any_of(answers, [](const Answer& a) { return !a.containers; });
  context.show(table_of(answers, any_unknown));
  // Whoever reads only the exit status must not take a silent machine for an empty one.
  return any_unknown ? error_row(Errc::unreachable).exit_status : 0;
}

}  // namespace berth::cli
