#include "host/apply/applier.h"

#include <algorithm>

#include "base/error.h"
#include "host/apply/accept.h"

namespace berth::host::apply {
namespace {

// The first run, one to finish what a crash cut short, and then it is given back: what kills the host twice
// would kill it again.
constexpr std::int64_t kAttempts = 2;

// A machine where nothing happens says so once a minute, not at every apply.
constexpr std::chrono::seconds kQuiet{60};

std::string result_of(const Ran& ran) {
  if (ran.refused) return "refused";
  if (ran.failure) return "failed";
  return ran.changed ? "converged" : "unchanged";
}

}  // namespace

Result<path::Opened> Applier::open() {
  return path::open_path(site_.linked, TRY(is_latched(store_)), site_.holder_socket(), site_.seam);
}

Ran Applier::run(Plan plan, path::Opened& opened) { return Run(store_, site_, opened, std::move(plan)).go(); }

Said Applier::said_of(const Ran& ran, std::string_view push_id, const path::Opened& opened, Time began) {
  Said said;
  said.push_id = push_id;
  said.result = result_of(ran);
  said.path = opened.used();
  said.resources = ran.outcomes;
  if (ran.failure) said.cause = to_text(*ran.failure);
  const auto stored = stored_seat(store_);
  auto view = look_at_holder(site_);
  said.seat = seat_report(view, stored ? *stored : Json{}, site_.config);
  // The path that was tried says best why it did not answer.
  if (opened.silent && opened.wanted == path::Kind::holder) {
    said.seat["answering"] = false;
    if (view.cause.empty()) said.seat["cause"] = opened.silent->detail;
  }
  if (opened.silent && said.cause.empty()) said.cause = to_text(*opened.silent);
  said.took = std::chrono::duration_cast<std::chrono::milliseconds>(site_.clock.now() - began);
  last_ran_ = said;
  return said;
}

Status Applier::start() {
  TRY(latch_if_held(store_, site_));
  return work();
}

/// One push at a time: what another waits for, or is still being given back, would be undone over this one.
Result<Json> Applier::take(const Json& body) {
  for (const auto& open : TRY(Pushes(store_, site_.config.machine).open())) {
    if (body.is_object() && body.value("push_id", Json{}) == Json(open.push_id)) continue;
    return fail(Errc::busy, confirm_by_ ? "push " + open.push_id + " waits for its confirmation until " +
                                              to_rfc3339(*confirm_by_)
                                        : "push " + open.push_id + " has not ended yet");
  }
  return TRY(accept(body, store_, site_)).answer;
}

Result<Push> Applier::push_of(std::string_view push_id) {
  const auto row = TRY(Pushes(store_, site_.config.machine).find(push_id));
  if (!row)
    return fail_field(Errc::not_found, "push_id", "no push " + std::string{push_id} + " was accepted here");
  return parse_push(row->body, site_.types);
}

Status Applier::work() {
  confirm_by_.reset();
  for (const auto& row : TRY(Pushes(store_, site_.config.machine).open())) TRY(work_on(row.push_id));
  return {};
}

Status Applier::work_on(const std::string& push_id) {
  Pushes pushes(store_, site_.config.machine);
  const auto push = TRY(push_of(push_id));
  if (!TRY(pushes.fact("undoing", push_id)).is_null())
    return undo(push, "interrupted while it was being given back");
  if (const auto by = TRY(pushes.fact("confirm_by", push_id)); by.is_string()) {
    const auto deadline = TRY(parse_rfc3339(by.get<std::string>()));
    if (site_.clock.now() >= deadline) return undo(push, "not confirmed by " + by.get<std::string>());
    confirm_by_ = deadline;
    return {};
  }
  const auto attempt = TRY(pushes.fact("attempts", push_id));
  const auto tried = attempt.is_number_integer() ? attempt.get<std::int64_t>() : 0;
  if (push.whole() && tried >= kAttempts) return undo(push, "the host died twice while carrying it out");
  TRY(pushes.set_fact("attempts", push_id, tried + 1));
  return begin(push);
}

Status Applier::begin(const Push& push) {
  Pushes pushes(store_, site_.config.machine);
  const auto began = site_.clock.now();
  auto opened = TRY(open());
  // What proves that a hand-over restarted nothing; nobody asks it of an ordinary push.
  if (push.whole() && !opened.silent && TRY(pushes.fact("containers", push.push_id)).is_null()) {
    const auto before = TRY(opened.path->with_processes(opened.containers));
    TRY(pushes.set_fact("containers", push.push_id,
                        {{"before", containers_document(before)}, {"after", Json::array()}}));
  }
  const Records records(store_, site_.config.machine);
  auto ran = run(TRY(plan_of_push(push, records, site_.types)), opened);
  if (!push.restores.empty() && !push.seat && !ran.failure) {
    TRY(set_document_setting(store_, "seat", TRY(pushes.fact("seat_before", push.restores))));
  }
  if (!ran.failure || !push.whole()) {
    if (const auto wrote = write_seat_file(store_, site_); !wrote && !ran.failure)
      ran.failure = wrote.error();
  }
  if (auto containers = TRY(pushes.fact("containers", push.push_id)); containers.is_object()) {
    if (const auto after = opened.seen_now()) containers["after"] = containers_document(*after);
    TRY(pushes.set_fact("containers", push.push_id, containers));
  }
  auto said = said_of(ran, push.push_id, opened, began);
  if (ran.refused) return end(push, "refused", std::move(said));
  if (ran.failure && push.whole()) return undo(push, to_text(*ran.failure));
  if (push.confirm_s > 0 && !ran.failure) {
    const auto by = site_.clock.now() + std::chrono::seconds{push.confirm_s};
    confirm_by_ = by;
    return store_.transaction([&]() -> Status {
      TRY(pushes.set_fact("confirm_by", push.push_id, to_rfc3339(by)));
      TRY(queue_report(store_, site_, said));
      return {};
    });
  }
  return end(push, ran.failure ? "failed" : "applied", std::move(said));
}

/// Everything back to what it was before the push, as history holds it. What cannot be given back now stays
/// noted and is tried again; the push ends only when all of it is.
Status Applier::undo(const Push& push, std::string why) {
  Pushes pushes(store_, site_.config.machine);
  const auto began = site_.clock.now();
  TRY(store_.transaction([&]() -> Status {
    TRY(pushes.set_fact("undoing", push.push_id, why));
    if (push.seat || !push.restores.empty()) {
      TRY(set_document_setting(store_, "seat", TRY(pushes.fact("seat_before", push.push_id))));
    }
    return pushes.drop_fact("confirm_by", push.push_id);
  }));
  auto opened = TRY(open());
  const Records records(store_, site_.config.machine);
  auto plan = TRY(plan_of_restore(push.push_id, push.push_id, records, site_.types));
  auto ran = run(std::move(plan), opened);
  if (const auto wrote = write_seat_file(store_, site_); !wrote && !ran.failure) ran.failure = wrote.error();
  if (auto containers = TRY(pushes.fact("containers", push.push_id)); containers.is_object()) {
    if (const auto after = opened.seen_now()) containers["after"] = containers_document(*after);
    TRY(pushes.set_fact("containers", push.push_id, containers));
  }
  auto said = said_of(ran, push.push_id, opened, began);
  said.result = "failed";
  said.cause = why + (ran.failure ? "; giving back failed too, and is tried again: " + to_text(*ran.failure)
                                  : "; all given back");
  if (!ran.failure) {
    TRY(pushes.set_fact("given_back", push.push_id, true));
    return end(push, "failed", std::move(said));
  }
  TRY(queue_report(store_, site_, said));
  return {};
}

Status Applier::end(const Push& push, std::string_view state, Said said) {
  Pushes pushes(store_, site_.config.machine);
  last_said_ = said;
  last_said_at_ = site_.clock.now();
  return store_.transaction([&]() -> Status {
    const auto report = TRY(queue_report(store_, site_, said));
    TRY(pushes.drop_fact("undoing", push.push_id));
    TRY(pushes.drop_fact("attempts", push.push_id));
    return pushes.end(push.push_id, state, report);
  });
}

Result<Json> Applier::confirm(std::string_view push_id) {
  Pushes pushes(store_, site_.config.machine);
  const auto row = TRY(pushes.find(push_id));
  if (!row)
    return fail_field(Errc::not_found, "push_id", "no push " + std::string{push_id} + " was accepted here");
  const auto by = TRY(pushes.fact("confirm_by", push_id));
  if (!by.is_string()) {
    if (row->state == "applied") return Json{{"push_id", push_id}, {"confirmed", true}};
    return fail(Errc::conflict,
                "push " + std::string{push_id} + " does not wait for a confirmation; it is " + row->state);
  }
  if (site_.clock.now() >= TRY(parse_rfc3339(by.get<std::string>()))) {
    return fail(Errc::conflict,
                "push " + std::string{push_id} + " had to be confirmed by " + by.get<std::string>());
  }
  Said said;
  said.push_id = push_id;
  said.result = "converged";
  auto opened = TRY(open());
  Ran nothing;
  said = said_of(nothing, push_id, opened, site_.clock.now());
  const auto push = TRY(push_of(push_id));
  TRY(store_.transaction([&]() -> Status {
    TRY(pushes.drop_fact("confirm_by", push_id));
    return end(push, "applied", std::move(said));
  }));
  confirm_by_.reset();
  return Json{{"push_id", push_id}, {"confirmed", true}};
}

/// Whether this differs from what was said last, or that is long enough ago.
bool Applier::worth_saying(const Said& said) {
  if (!last_said_ || said.result != "unchanged" || last_said_->result != said.result) return true;
  if (last_said_->path != said.path || last_said_->seat != said.seat || last_said_->push_id != said.push_id)
    return true;
  return site_.clock.now() - last_said_at_ >= kQuiet;
}

/// Whether the machine is kept as this push declares it: not one that was refused or given back, nor a
/// back-out, whose end is what the records say.
Result<bool> Applier::stands(const PushRow& push) {
  if (push.kind == "back_out" || push.state == "refused") return false;
  return TRY(Pushes(store_, site_.config.machine).fact("given_back", push.push_id)).is_null();
}

Status Applier::again() {
  TRY(work());
  if (confirm_by_) return {};
  const Pushes pushes(store_, site_.config.machine);
  const Records records(store_, site_.config.machine);
  const auto newest = TRY(pushes.newest());
  Plan plan;
  if (newest && TRY(stands(*newest))) {
    plan = TRY(plan_of_push(TRY(parse_push(newest->body, site_.types)), records, site_.types));
    plan.expect.clear();
    plan.whole = false;
  } else {
    plan = TRY(plan_of_records(records, site_.types));
  }
  TRY(add_carried(plan, records, site_.types));
  TRY(finish(std::move(plan), false));
  return {};
}

/// Runs a plan that is no push's own end, and says what came of it.
Result<Json> Applier::finish(Plan plan, bool always) {
  const auto began = site_.clock.now();
  auto opened = TRY(open());
  const auto push_id = plan.push_id;
  auto ran = run(std::move(plan), opened);
  if (const auto wrote = write_seat_file(store_, site_); !wrote && !ran.failure) ran.failure = wrote.error();
  const auto said = said_of(ran, push_id, opened, began);
  if (!always && !worth_saying(said)) return Json{};
  last_said_ = said;
  last_said_at_ = site_.clock.now();
  Json report;
  TRY(store_.transaction([&]() -> Status {
    report = TRY(queue_report(store_, site_, said));
    // What failed when the push came has succeeded now.
    Pushes pushes(store_, site_.config.machine);
    const auto row = push_id.empty() || ran.failure ? std::optional<PushRow>{} : TRY(pushes.find(push_id));
    return row && row->state == "failed" ? pushes.end(push_id, "applied", report) : Status{};
  }));
  return report;
}

Result<Json> Applier::bootstrap(const Json& body) {
  const auto bundle = TRY(parse_bundle(body, site_.types));
  if (bundle.fleet != site_.config.fleet)
    return fail_field(Errc::bad_request, "fleet", "this machine is of fleet " + site_.config.fleet);
  if (bundle.machine != site_.config.machine)
    return fail_field(Errc::bad_request, "machine", "this machine is " + site_.config.machine);
  if (bundle.seat) {
    TRY(store_.transaction([&]() -> Status { return keep_seat(store_, site_, *bundle.seat); }));
  }
  Plan plan;
  for (const auto& resource : bundle.resources)
    plan.items.push_back({resource.id, "", resource.type, resource.declared});
  return finish(std::move(plan), true);
}

Result<Json> Applier::give_back_module(std::string_view module) {
  Plan plan;
  for (auto& record : TRY(Records(store_, site_.config.machine).all())) {
    if (record.module == module && !record.carried()) plan.give_back.push_back(std::move(record));
  }
  if (plan.give_back.empty())
    return fail_field(Errc::not_found, "module",
                      "no record of module " + std::string{module} + " is on this machine");
  // Containers go before what they stand on.
  std::ranges::stable_sort(plan.give_back, {}, [](const Record& r) {
    return r.type == "container" ? 0 : r.type == "package" ? 2 : 1;
  });
  return finish(std::move(plan), true);
}

}  // namespace berth::host::apply
