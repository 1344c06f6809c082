#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {
namespace {

Result<Note> unknown_when_silent(Bench& bench) {
  const auto box = bench.box("silent");
  auto& runtime = bench.world().silent();
  TRY(expect(runtime.state(box) == State::unknown, "a box of a runtime that does not answer is not unknown"));
  const auto health = runtime.health();
  TRY(expect(!health.answering && !health.cause.empty(),
             "its health says nothing of why it does not answer"));
  const auto listed = runtime.inventory();
  TRY(expect(!listed && listed.error().code == Errc::engine_unreachable,
             "its inventory is an answer, and must be an error"));
  const auto ran = bench.runtime().state(box);
  TRY(expect(ran == State::stopped, "where the runtime answers, a box that never was is not stopped"));
  return Note{};
}

Result<Note> acts_fail_when_silent(Bench& bench) {
  const auto box = bench.box("silent");
  auto& runtime = bench.world().silent();
  const auto unreachable = [](const auto& done) {
    return !done && done.error().code == Errc::engine_unreachable;
  };
  TRY(expect(unreachable(runtime.ensure(box, bench.spec())), "ensure does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.start(box, bench.spec())), "start does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.stop(box)), "stop does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.remove(box)), "remove does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.create_storage(box)), "create_storage does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.remove_storage(box)), "remove_storage does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.ensure_isolation(box)), "ensure_isolation does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.start_login(bench.login("silent"))),
             "start_login does not say engine_unreachable"));
  const auto kind = bench.world().makes_before_start() ? "container" : "pod";
  TRY(expect(unreachable(runtime.remove_object({kind, "box-silent", "silent"})),
             "remove_object does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.prepare()), "prepare does not say engine_unreachable"));
  return Note{};
}

Result<Note> questions_fail_when_silent(Bench& bench) {
  const auto box = bench.box("silent");
  auto& runtime = bench.world().silent();
  const Command command{.argv = {"true"}, .dir = {}, .environment = {}};
  const auto unreachable = [](const auto& answer) {
    return !answer && answer.error().code == Errc::engine_unreachable;
  };
  TRY(expect(unreachable(runtime.isolated(box)), "isolated does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.missing_storage(box)), "missing_storage does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.proxy_url(box)), "proxy_url does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.image_of(box)), "image_of does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.inventory()), "inventory does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.details(box)), "details does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.deployment_images()), "deployment_images does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.run(Place::of(box), command, {})), "run does not say engine_unreachable"));
  TRY(expect(unreachable(runtime.spawn(Place::of(box), command, {})),
             "spawn does not say engine_unreachable"));
  return Note{};
}

Result<Note> gone_is_stopped(Bench& bench) {
  const auto box = TRY(bench.running("gone"));
  TRY(expect(bench.runtime().state(box) == State::running, "a box that was started is not running"));
  TRY(bench.world().take_away(box));
  TRY(expect(bench.runtime().state(box) == State::stopped, "a box whose container is gone is not stopped"));
  TRY(bench.runtime().stop(box));
  TRY(bench.runtime().start(box, bench.spec()));
  TRY(expect(bench.runtime().state(box) == State::running,
             "a box whose container went does not start again"));
  TRY(bench.runtime().remove(box));
  TRY(expect(bench.runtime().state(box) == State::stopped, "a box that was removed is not stopped"));
  TRY(bench.runtime().remove_storage(box));
  return Note{};
}

constexpr Rule kStateRules[] = {
    {"state.unknown", "A box of a runtime that does not answer is unknown, never stopped.",
     unknown_when_silent},
    {"state.no_answer_is_an_error",
     "What is asked of a runtime that does not answer is an error, never an empty answer.",
     questions_fail_when_silent},
    {"state.nothing_done_unseen", "Nothing is stopped, removed or made while the runtime does not answer.",
     acts_fail_when_silent},
    {"state.gone_is_stopped", "A container that is gone is a stopped box, and starts again.",
     gone_is_stopped},
};

}  // namespace

std::span<const Rule> state_rules() { return kStateRules; }

}  // namespace berth::holder::boxes::conformance
