#include "host/serve/workers.h"

#include <algorithm>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parts.h"
#include "host/apply/applier.h"
#include "host/release/trial.h"
#include "host/serve/asks.h"
#include "host/serve/pace.h"
#include "host/serve/reply.h"
#include "host/serve/restoring.h"

namespace berth::host::serve {
namespace {

using Steady = std::chrono::steady_clock;

void warn_of(std::string_view phrase, const Status& status) {
  if (!status) log::warn(phrase, {{"cause", to_text(status.error())}});
}

/// The applies' worker: one object for its thread's life.
class ApplyLoop {
 public:
  ApplyLoop(Shared& shared, store::Store store, const apply::Site& site)
      : shared_(shared),
        store_(std::move(store)),
        site_(site),
        applier_(store_, site),
        restoring_(shared.config.apply_every),
        pace_(shared.config.apply_every) {}

  void run(std::stop_token stop) {
    warn_of("what the last process left could not be finished", applier_.start());
    next_ = Steady::now();
    while (!stop.stop_requested()) {
      if (auto task = shared_.applies.take(stop, wake_at())) {
        task->lost ? look_after(*task->lost) : serve(*task);
      } else if (!stop.stop_requested()) {
        on_time();
      }
    }
  }

 private:
  /// The next apply of our own accord, or the end of a wait for confirmation if that comes first.
  Steady::time_point wake_at() const {
    const auto by = applier_.confirm_by();
    if (!by) return next_;
    const auto left = *by - site_.clock.now();
    return std::min(next_,
                    Steady::now() + std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds{left}));
  }

  /// The next apply is as soon as the container that went may be restored.
  void look_after(const std::string& container) {
    next_ = std::min(next_, restoring_.due(container, Steady::now()));
  }

  void on_time() {
    const auto made = applier_.again();
    warn_of("an apply could not be carried through", made);
    if (!applier_.confirm_by()) prove();
    next_ = Steady::now() + pace_.after(made.ok() && went_well());
  }

  bool went_well() const { return applier_.last_said() && applier_.last_said()->well(); }

  void prove() {
    if (went_well()) warn_of("the release's proof could not be kept", release::prove(store_, site_.version));
  }

  void serve(const Task& task) {
    const auto answer = answer_to(task);
    reply_to(*shared_.bus, shared_.parts, task.message, answer);
    if (!task.is_push) return;
    if (!answer) {
      log::warn("a push was refused", {{"cause", to_text(answer.error())}});
      return;
    }
    log::info("a push was accepted", {{"answer", answer->dump()}});
    const auto carried = applier_.work();
    warn_of("a push could not be carried out", carried);
    prove();
    next_ = std::min(next_, Steady::now() + pace_.after(carried.ok() && went_well()));
  }

  Result<Json> answer_to(const Task& task) {
    const auto body = TRY(parse_json(task.message.data, task.is_push ? "the push" : "the request"));
    if (task.is_push) return applier_.take(body);
    const auto* row = TRY(find_ask(body));
    Asked asked{site_, store_, &applier_, shared_.places, shared_.started_at};
    return row->answer(asked, body);
  }

  Shared& shared_;
  store::Store store_;
  const apply::Site& site_;
  apply::Applier applier_;
  Restoring restoring_;
  Pace pace_;
  Steady::time_point next_{};
};

Result<Json> answer_ask(const Json& request, Shared& shared, const apply::Site& site) {
  const auto* row = TRY(find_ask(request));
  auto store = TRY(store::Store::open_read_only(shared.config.store));
  Asked asked{site, store, nullptr, shared.places, shared.started_at};
  return row->answer(asked, request);
}

/// The question a part completes; otherwise the part is answered, and there is none yet.
std::optional<Task> completed(Task task, Shared& shared) {
  auto taken = shared.parts.take(task.message.data);
  if (taken && taken->question) {
    task.message.data = std::move(*taken->question);
    return task;
  }
  reply_to(*shared.bus, shared.parts, task.message,
           taken ? Result<Json>{Json{{"whole", taken->whole}, {"have", taken->have}}} : Result<Json>{taken.error()});
  return std::nullopt;
}

void give_part(const Json& request, const Task& task, Shared& shared) {
  auto part = shared.parts.give(request);
  if (!part) return reply_to(*shared.bus, shared.parts, task.message, part.error());
  send_text(*shared.bus, task.message, std::move(*part));
}

void serve_ask(Task task, Shared& shared, const apply::Site& site) {
  if (is_part(task.message.data)) {
    auto whole = completed(std::move(task), shared);
    if (!whole) return;
    task = std::move(*whole);
  }
  if (task.is_push) return put_or_say_busy(shared, shared.applies, std::move(task));
  const auto request = parse_json(task.message.data, "the request");
  if (!request) return reply_to(*shared.bus, shared.parts, task.message, request.error());
  if (request->is_object() && request->value("what", Json{}) == "part") return give_part(*request, task, shared);
  if (const auto row = find_ask(*request); row && (*row)->acts)
    return put_or_say_busy(shared, shared.applies, std::move(task));
  reply_to(*shared.bus, shared.parts, task.message, answer_ask(*request, shared, site));
}

}  // namespace

void put_or_say_busy(Shared& shared, Tasks& queue, Task task) {
  const bus::Message asked{task.message.subject, task.message.reply, {}, {}};
  if (!queue.put(std::move(task)))
    reply_to(*shared.bus, shared.parts, asked, fail(Errc::busy, "the host has too much to do"));
}

void apply_worker(std::stop_token stop, Shared& shared, store::Store store) {
  const auto machine = Machine::open(shared.config, shared.program, shared.seam);
  if (!machine) {
    log::error("the host cannot work", {{"cause", to_text(machine.error())}});
    shared.failed = true;
    return;
  }
  ApplyLoop(shared, std::move(store), (*machine)->site()).run(stop);
}

void ask_worker(std::stop_token stop, Shared& shared) {
  const auto machine = Machine::open(shared.config, shared.program, shared.seam);
  if (!machine) {
    log::error("the host cannot answer", {{"cause", to_text(machine.error())}});
    shared.failed = true;
    return;
  }
  while (!stop.stop_requested()) {
    if (auto task = shared.asks.take(stop, Steady::now() + std::chrono::hours{1})) {
      serve_ask(std::move(*task), shared, (*machine)->site());
    }
  }
}

}  // namespace berth::host::serve
