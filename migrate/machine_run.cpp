#include "migrate/machine_run.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"

namespace berth::migrate {
namespace {

/// Gate and intent of a machine that does not run this step yet. An error is the gate's refusal.
Status begin(Scene& scene, const Step& step, Work& work) {
  TRY(check_lease(scene.lease, scene.port));
  scene.says(step.number, work.machine, "gate");
  TRY(step.gate(scene, work));
  return scene.books.with([&](Books& books) {
    return books.store.transaction([&]() -> Status {
      TRY(step.intend(books, scene, work));
      TRY(books.ledger.start(step.number, work.machine, work.push_id, work.found.dump()));
      for (const auto& push : work.pushes) TRY(push_intended(books.store, push));
      return {};
    });
  });
}

/// A refused gate is a row too: the attempt, and why it did not begin.
Status record_refusal(Scene& scene, const Step& step, const Work& work, const Error& why) {
  return scene.books.with([&](Books& books) {
    return books.store.transaction([&]() -> Status {
      TRY(books.ledger.start(step.number, work.machine, "", "{}"));
      return books.ledger.failed(step.number, work.machine, "gate: " + to_text(why));
    });
  });
}

/// Also an engine or a holder that was away while it was looked at: what was asked of the machine may well have been
/// done, and a row that failed would be begun anew on a machine that is no longer as it was read.
bool tells_nothing(const Error& why) {
  return is_silence(why) || why.code == Errc::engine_unreachable || why.code == Errc::holder_silent;
}

Result<MachineEnd> record_failure(Scene& scene, const Step& step, const Work& work, const Error& why) {
  const bool silent = tells_nothing(why);
  TRY(scene.books.with([&](Books& books) {
    return silent ? books.ledger.told(step.number, work.machine, to_text(why))
                  : books.ledger.failed(step.number, work.machine, to_text(why));
  }));
  return MachineEnd{silent ? Ended::running : Ended::failed, why.detail, why.code};
}

Result<Json> act_and_prove(Scene& scene, const Step& step, Work& work) {
  scene.says(step.number, work.machine, "act");
  TRY(step.act(scene, work));
  scene.says(step.number, work.machine, "proof");
  return step.proof(scene, work);
}

/// What a person must know of a back-out; the whole proof is in the ledger.
std::string said_of(const Json& undone) {
  const auto identical = undone.value("byte_identical", Json{});
  if (!identical.is_boolean()) return {};
  return identical.get<bool>() ? "the engine's file has every byte that was found"
                               : "the engine's file is not byte for byte as found: what others wrote since stays";
}

}  // namespace

Result<MachineEnd> run_machine(Scene& scene, const Step& step, const std::string& machine) {
  const auto row =
      TRY(scene.books.with([&](Books& books) { return books.ledger.run(step.number, machine); }));
  Work work{step.number, machine, random_hex(16), Json::object(), {}};
  if (row.state == "running") {
    // A runner began this and died, or lost sight of it: what it found is kept, and act asks what came of it.
    work.push_id = row.push_id;
    work.found = TRY(parse_json(row.proof.value_or("{}"),
                                "what the gate of step " + std::to_string(step.number) + " found"));
  } else if (const auto begun = begin(scene, step, work); !begun) {
    // Somebody else leads the fleet now: nothing is wrong with the machine, and its row is theirs.
    if (begun.error().code != Errc::stale) TRY(record_refusal(scene, step, work, begun.error()));
    return MachineEnd{Ended::gate_refused, begun.error().detail, begun.error().code};
  }
  const auto proof = act_and_prove(scene, step, work);
  if (!proof) return record_failure(scene, step, work, proof.error());
  TRY(scene.books.with([&](Books& books) { return books.ledger.done(step.number, machine, proof->dump()); }));
  return MachineEnd{};
}

Result<MachineEnd> undo_machine(Scene& scene, const Step& step, const std::string& machine) {
  const auto row =
      TRY(scene.books.with([&](Books& books) { return books.ledger.run(step.number, machine); }));
  if (row.state != "done") {
    return fail(Errc::conflict, "step " + std::to_string(step.number) + " of " + machine + " is " +
                                    row.state + ": only a done step can be backed out");
  }
  for (int higher = step.number + 1; higher <= 5; ++higher) {
    const auto above = TRY(scene.books.with([&](Books& books) { return books.ledger.run(higher, machine); }));
    if (above.state != "done" && above.state != "running") continue;
    return fail(Errc::conflict, "step " + std::to_string(higher) + " of " + machine + " is " + above.state +
                                    ": back it out first");
  }
  const auto elsewhere =
      TRY(scene.books.with([&](Books& books) { return books.ledger.runs_elsewhere(step.number + 1, machine); }));
  if (elsewhere)
    return fail(Errc::conflict, "step " + std::to_string(step.number + 1) + " is under way on " + *elsewhere +
                                    ": end it with a run, or set that machine aside, before " + machine +
                                    " goes back");
  TRY(check_lease(scene.lease, scene.port));
  Work work{step.number, machine, row.push_id, Json::object(), {}};
  scene.says(step.number, machine, "back-out");
  const auto proof = TRY(parse_json(*row.proof, "the proof of step " + std::to_string(step.number)));
  const auto undone = step.back_out(scene, work, proof);
  if (!undone)
    return MachineEnd{is_silence(undone.error()) ? Ended::running : Ended::failed, undone.error().detail,
                      undone.error().code};
  TRY(scene.books.with([&](Books& books) { return books.ledger.backed_out(step.number, machine); }));
  return MachineEnd{Ended::done, said_of(*undone), Errc::failed};
}

}  // namespace berth::migrate
