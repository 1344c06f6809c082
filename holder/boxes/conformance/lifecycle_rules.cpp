#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {
namespace {

Result<std::string> container_of(Bench& bench, const BoxId& box) {
  const auto facts = TRY(bench.runtime().details(box));
  const auto at = facts.find("container");
  return at == facts.end() ? std::string{} : at->second;
}

Result<Note> ensure_again(Bench& bench) {
  const auto box = bench.box("again");
  auto& runtime = bench.runtime();
  TRY(runtime.create_storage(box));
  TRY(runtime.ensure(box, bench.spec()));
  const auto first = TRY(container_of(bench, box));
  TRY(runtime.ensure(box, bench.spec()));
  TRY(expect(TRY(container_of(bench, box)) == first, "a second ensure made another container"));
  TRY(expect(bench.world().makes_before_start() != first.empty(),
             "ensure made no container, or one too early"));
  TRY(expect(runtime.state(box) == State::stopped, "a box that was only ensured runs"));
  TRY(runtime.start(box, bench.spec()));
  TRY(runtime.start(box, bench.spec()));
  TRY(expect(runtime.state(box) == State::running, "a box that was started does not run"));
  return Note{};
}

Result<Note> ensure_takes_the_spec(Bench& bench) {
  const auto box = bench.box("again");
  auto& runtime = bench.runtime();
  TRY(runtime.stop(box));
  auto spec = bench.spec();
  spec.environment["BERTH_TRIED"] = "other";
  TRY(runtime.ensure(box, spec));
  TRY(runtime.start(box, spec));
  TRY(expect(TRY(bench.said(Place::of(box), "echo $BERTH_TRIED")) == "other",
             "a stopped box keeps its old spec"));
  TRY(runtime.stop(box));
  TRY(runtime.remove(box));
  TRY(runtime.remove_storage(box));
  return Note{};
}

Result<Note> repairs_isolation_alone(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  auto& runtime = bench.runtime();
  const auto place = Place::of(box);
  const auto before = TRY(container_of(bench, box));
  TRY(bench.said(place, "sleep 600 >/dev/null 2>&1 & echo $! > /box/work/pid"));
  TRY(expect(TRY(runtime.isolated(box)), "a box that runs is not isolated"));
  TRY(bench.world().breach(box));
  TRY(expect(!TRY(runtime.isolated(box)), "a breach of the isolation is not seen"));
  auto spec = bench.spec();
  spec.environment["BERTH_TRIED"] = "too late";
  TRY(runtime.ensure(box, spec));
  TRY(expect(TRY(runtime.isolated(box)), "ensure did not repair the isolation"));
  TRY(expect(TRY(container_of(bench, box)) == before, "ensure made the container of a running box anew"));
  TRY(bench.said(place, "kill -0 $(cat /box/work/pid) && kill $(cat /box/work/pid)"));
  TRY(bench.world().breach(box));
  TRY(runtime.ensure_isolation(box));
  TRY(expect(TRY(runtime.isolated(box)), "ensure_isolation did not repair the isolation"));
  return Note{};
}

Result<Note> stop_and_remove_again(Bench& bench) {
  const auto box = TRY(bench.running("ended"));
  auto& runtime = bench.runtime();
  TRY(runtime.stop(box));
  TRY(expect(runtime.state(box) == State::stopped, "a box that was stopped is not"));
  TRY(runtime.stop(box));
  TRY(runtime.start(box, bench.spec()));
  TRY(expect(runtime.state(box) == State::running, "a stopped box does not start again"));
  TRY(runtime.remove(box));
  TRY(runtime.remove(box));
  TRY(runtime.stop(box));
  TRY(runtime.remove_storage(box));
  return Note{};
}

constexpr Rule kLifecycleRules[] = {
    {"lifecycle.ensure_twice", "ensure and start can run again with no effect.", ensure_again},
    {"lifecycle.start_takes_the_spec", "start gets the spec of ensure; a stopped box takes a changed one.",
     ensure_takes_the_spec},
    {"lifecycle.running_untouched", "On a running box ensure repairs the isolation and changes nothing else.",
     repairs_isolation_alone},
    {"lifecycle.stop_remove_twice",
     "stop and remove can run again with no effect; a stopped box starts again.", stop_and_remove_again},
};

}  // namespace

std::span<const Rule> lifecycle_rules() { return kLifecycleRules; }

}  // namespace berth::holder::boxes::conformance
