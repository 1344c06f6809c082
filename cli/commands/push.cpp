#include <algorithm>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "catalogue/catalogue.h"
#include "cli/commands/commands.h"
#include "cli/fleet_bus.h"
#include "migrate/ledger.h"
#include "migrate/port.h"
#include "schema/queries.h"
#include "store/ingest.h"

namespace berth::cli {
namespace {

constexpr store::Query<std::string()> kTakingPart{schema::queries::machines_taking_part};
constexpr std::chrono::seconds kAskLimit{10};
constexpr std::chrono::seconds kApplyLimit{180};

struct Composed {
  std::string machine;
  Json document;
};

/// One row of the answer.
struct Sent {
  std::string machine, push_id, state;
  Json report;
  std::optional<Error> error;
};

Result<Json> compose_for(store::Store& store, migrate::Port& port, const std::string& machine) {
  const auto status = TRY(port.ask(machine, {{"what", "status"}}, kAskLimit));
  const auto records = TRY(port.ask(machine, {{"what", "records"}}, kAskLimit));
  catalogue::PushOrder order;
  order.machine = machine;
  order.runner = runner_name();
  order.token = status.value("token", std::int64_t{0});
  order.sequence = status.value("sequence", std::int64_t{0}) + 1;
  const auto now = TRY(catalogue::parse_records(records.value("records", Json::array())));
  // A changed grant reaches the broker with the push of its machine.
  order.new_permissions = TRY(catalogue::permissions_were_pushed(store, machine, now));
  return catalogue::compose(store, order, now);
}

/// All of them before any is sent: what is refused here is refused with nothing changed anywhere.
Result<std::vector<Composed>> compose_all(store::Store& store, migrate::Port& port, const std::vector<std::string>& machines) {
  std::vector<Composed> all;
  for (const auto& machine : machines) {
    auto composed = TRY(compose_for(store, port, machine));
    all.push_back({machine, std::move(composed)});
  }
  return all;
}

migrate::Intended intended(const Composed& push) {
  return {.push_id = push.document.at("push_id"), .machine = push.machine, .kind = push.document.at("kind"),
          .body = push.document.dump(), .sequence = push.document.at("sequence"), .token = push.document.at("token")};
}

/// What became of a push that the host has accepted.
Result<Json> outcome_of(migrate::Port& port, const std::string& machine, const std::string& push_id) {
  const auto deadline = std::chrono::steady_clock::now() + kApplyLimit;
  while (std::chrono::steady_clock::now() < deadline) {
    const auto answer = TRY(port.ask(machine, {{"what", "push"}, {"push_id", push_id}}, kAskLimit));
    if (answer.value("state", "") != "accepted") return answer;
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
  }
  return fail(Errc::timeout, machine + " accepted push " + push_id + " and is still at it; its report will say how it ended");
}

Sent send(store::Store& store, migrate::Port& port, const Composed& push) {
  Sent sent{.machine = push.machine, .push_id = push.document.at("push_id"), .state = "intended", .report = {}, .error = {}};
  const auto act = [&]() -> Status {
    TRY(migrate::push_intended(store, intended(push)));
    const auto accepted = port.push(push.machine, push.document);
    if (!accepted && accepted.error().code != Errc::timeout && accepted.error().code != Errc::unreachable) {
      sent.state = "refused";
      TRY(migrate::push_moved(store, sent.push_id, "refused", ""));
    }
    TRY(accepted);
    sent.state = "accepted";
    TRY(migrate::push_moved(store, sent.push_id, "accepted", ""));
    const auto outcome = TRY(outcome_of(port, push.machine, sent.push_id));
    sent.state = outcome.value("state", "unknown");
    sent.report = outcome.value("report", Json{});
    TRY(migrate::push_moved(store, sent.push_id, sent.state, sent.report.is_null() ? "" : sent.report.dump()));
    if (!sent.report.is_null()) TRY(store::ingest_report(store, sent.report));
    return {};
  };
  if (auto done = act(); !done) sent.error = std::move(done).error();
  return sent;
}

/// The first resource that failed, or the error: what a person wants to know first.
std::string detail_of(const Sent& sent) {
  if (sent.error) return to_text(*sent.error);
  if (!sent.report.is_object()) return "";
  for (const auto& resource : sent.report.value("resources", Json::array())) {
    if (resource.value("action", "") == "failed") return resource.value("id", "") + ": " + resource.value("detail", "");
  }
  return "";
}

store::Value member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object.at(key).is_string()) return {};
  return object.at(key).get<std::string>();
}

int exit_status(const Sent& sent) {
  if (sent.error) return error_row(sent.error->code).exit_status;
  return sent.state == "applied" ? 0 : 1;
}

Result<int> show_plans(Context& context, migrate::Port& port, const std::vector<Composed>& pushes) {
  Json plans = Json::array();
  for (const auto& push : pushes) {
    const auto would = TRY(port.ask(push.machine, {{"what", "plan"}, {"push", push.document}}, kAskLimit));
    plans.push_back({{"machine", push.machine}, {"push", push.document}, {"would", would}});
  }
  context.show(plans);
  return 0;
}

/// A name mistyped is told before anybody is asked.
Status known(const migrate::FleetDocument& fleet, const std::vector<std::string>& machines) {
  for (const auto& machine : machines) {
    if (std::ranges::find(fleet.machines, machine) != fleet.machines.end()) continue;
    return fail_field(Errc::bad_request, "MACHINE", machine + " is no machine of " + fleet.path.native());
  }
  return {};
}

}  // namespace

Result<int> push(Context& context, const PushArgs& args) {
  const auto fleet = TRY(load_fleet(context));
  TRY(known(fleet, args.machines));
  auto store = TRY(context.open_store());
  const auto machines = args.machines.empty() ? TRY(store.all(kTakingPart)) : args.machines;
  const auto port = TRY(migrate::open_port(fleet, context.seam()));
  const auto pushes = TRY(compose_all(store, *port, machines));
  if (args.plan) return show_plans(context, *port, pushes);
  Table table{.columns = {"machine", "push_id", "state", "result", "path", "detail"}, .rows = {}};
  int status = 0;
  for (const auto& push : pushes) {
    const auto sent = send(store, *port, push);
    table.rows.push_back({sent.machine, sent.push_id, sent.state, member(sent.report, "result"), member(sent.report, "path"), detail_of(sent)});
    if (status == 0) status = exit_status(sent);
  }
  context.show(table);
  return status;
}

}  // namespace berth::cli
