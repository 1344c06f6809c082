#include "tests/migrate/fake_fleet.h"

#include "catch.h"
#include "migrate/ledger.h"

namespace berth::test {
namespace {

std::vector<migrate::Kept> from_sequence(const std::vector<migrate::Kept>& all, std::uint64_t first) {
  std::vector<migrate::Kept> list;
  for (const auto& kept : all) {
    if (kept.sequence >= first) list.push_back(kept);
  }
  return list;
}

}  // namespace

FakePort::FakePort() {
  const auto add = [&](const std::string& name, const Json& file) {
    machines.emplace(name, FakeMachine{name, FleetFile::machine_id(name), file}).first->second.sequences =
        &sequences;
  };
  add("alder", nullptr);
  add("birch", {{"max-concurrent-uploads", 3}, {"live-restore", true}});
  add("cedar", {{"log-driver", "json-file"}, {"insecure-registries", {"registry.cedar:5000"}}});
  add("dogwood", {{"debug", false}, {"live-restore", false}});
}

std::uint64_t FakePort::next_sequence() {
  const std::lock_guard one_call{mutex_};
  return sequences + 1;
}

Result<FakeMachine*> FakePort::reach(std::string_view machine) {
  auto& at = machines.find(machine)->second;
  if (at.silent)
    return fail(Errc::unreachable, "nobody listens on mesh." + std::string{machine} + ".host.ask");
  return &at;
}

template <class F>
Result<Json> FakePort::changing(F act) {
  ++acts;
  const bool dies = die_at_act > 0 && --die_at_act == 0;
  if (dies && !die_after) throw Died{};
  auto answer = act();
  if (dies) throw Died{};
  return answer;
}

Result<Json> FakePort::ask(std::string_view machine, const Json& request, std::chrono::milliseconds) {
  const std::lock_guard one_call{mutex_};
  const auto what = request["what"].get<std::string>();
  if (before_ask) before_ask(std::string{machine}, what);
  auto* at = TRY(reach(machine));
  if (what == "release" || what == "confirm") return changing([&] { return at->answer(request); });
  return at->answer(request);
}

Result<Json> FakePort::push(std::string_view machine, const Json& document) {
  const std::lock_guard one_call{mutex_};
  auto* at = TRY(reach(machine));
  return changing([&] { return at->take(document); });
}

Result<std::optional<migrate::Kept>> FakePort::last_lease() {
  const std::lock_guard one_call{mutex_};
  return leases.empty() ? std::optional<migrate::Kept>{} : std::optional{leases.back()};
}

Result<std::uint64_t> FakePort::claim_lease(std::string_view text, std::uint64_t expected) {
  const std::lock_guard one_call{mutex_};
  const auto last = leases.empty() ? 0 : leases.back().sequence;
  if (last != expected) return fail(Errc::conflict, "wrong last sequence");
  leases.push_back({last + 1, std::string{text}});
  return last + 1;
}

Result<std::vector<migrate::Kept>> FakePort::events(std::string_view machine, std::uint64_t first,
                                                    std::chrono::milliseconds) {
  const std::lock_guard one_call{mutex_};
  return from_sequence(machines.find(machine)->second.events, first);
}

Result<std::vector<migrate::Kept>> FakePort::reports(std::string_view machine, std::uint64_t first,
                                                     std::chrono::milliseconds) {
  const std::lock_guard one_call{mutex_};
  return from_sequence(machines.find(machine)->second.reports, first);
}

Fleet::Fleet() { file.document["machines"]["dogwood"]["settings"] = {{"docker", {{"live-restore", true}}}}; }

migrate::FleetDocument Fleet::document() {
  auto loaded = migrate::FleetDocument::load(file.write());
  if (!loaded) FAIL(loaded.error().detail);
  return std::move(loaded).value();
}

store::Store Fleet::open_store() {
  auto opened = store::Store::open(store_path(), store::Role::fleet, clock, seam);
  if (!opened) FAIL(opened.error().detail);
  return std::move(opened).value();
}

migrate::Site Fleet::site(store::Store& store) {
  using namespace std::chrono_literals;
  return {
      store, port, clock, seam, {.poll = 1ms, .patience = 100ms, .push = 200ms, .event = 200ms, .release = 0s}};
}

Result<migrate::Outcome> Fleet::run(int to_step) {
  const auto fleet = document();
  auto store = open_store();
  auto here = site(store);
  options.to_step = to_step;
  return migrate::run(fleet, options, here, listener, stop.get_token());
}

Result<migrate::Outcome> Fleet::back_out(int step, const std::string& machine) {
  const auto fleet = document();
  auto store = open_store();
  auto here = site(store);
  return migrate::back_out(fleet, {.runner = "operator@desk", .program = "1.2.0", .to_step = step, .machines = {machine}},
                           here,
                           listener, stop.get_token());
}

Result<migrate::Outcome> Fleet::plan() {
  const auto fleet = document();
  auto store = open_store();
  auto here = site(store);
  return migrate::plan(fleet, options, here);
}

std::string Fleet::ledger() {
  auto store = open_store();
  const auto migration = migrate::newest_migration(store, "mesh").value();
  if (!migration) return "";
  std::string text = migration->closed_at ? "closed\n" : "open\n";
  for (const auto& row : migrate::Ledger(store, migration->id).runs().value()) {
    text += std::to_string(row.step) + " " + row.machine + " " + row.state + "\n";
  }
  return text;
}

std::string Fleet::portrait() {
  auto text = ledger();
  for (const auto& [name, machine] : port.machines) text += machine.portrait();
  return text;
}

}  // namespace berth::test
