#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

Result<Note> runs_as_asked(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const Command command{.argv = {"sh", "-c", "id -u; pwd; echo \"$GREETING\"; echo wrong >&2; exit 7"},
                        .dir = "/box/work",
                        .environment = {{"GREETING", "it's \"here\" $HOME"}}};
  const auto done = TRY(bench.runtime().run(place, command, {}));
  const auto wanted = std::to_string(bench.world().uid()) + "\n/box/work\nit's \"here\" $HOME\n";
  TRY(expect(done.out == wanted, "it printed \"" + done.out + "\" and not \"" + wanted + "\""));
  TRY(expect(done.err == "wrong\n", "on the other stream it printed \"" + done.err + "\""));
  TRY(expect(done.exit_code == 7, "it ended with " + std::to_string(done.exit_code) + " and not with 7"));
  TRY(expect(!done.truncated && !done.timed_out, "it is said to be cut off"));
  return Note{};
}

Result<Note> not_there(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  auto& runtime = bench.runtime();
  const auto missing =
      TRY(runtime.run(place, {.argv = {"no-such-program"}, .dir = {}, .environment = {}}, {}));
  TRY(expect(missing.exit_code == 127,
             "a program that is not there ends with " + std::to_string(missing.exit_code)));
  const auto nowhere = TRY(runtime.run(place, {.argv = {"true"}, .dir = "/no/such", .environment = {}}, {}));
  TRY(expect(nowhere.exit_code == 126,
             "a directory that is not there ends with " + std::to_string(nowhere.exit_code)));
  const auto killed = TRY(bench.shell(place, "kill -KILL $$"));
  TRY(expect(killed.exit_code == 137, "a killed command ends with " + std::to_string(killed.exit_code)));
  return Note{};
}

/// How many processes whose command line holds the word run there.
Result<std::string> count_of(Bench& bench, const Place& place, const std::string& word) {
  return bench.said(place,
                    "n=0; for p in /proc/[0-9]*; do [ ${p#/proc/} = $$ ] && continue; case $(tr '\\0' ' ' < "
                    "$p/cmdline 2>/dev/null) in sleep*" +
                        word + "*) n=$((n+1));; esac; done; echo $n");
}

Result<Note> dead_with_children(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  auto began = Steady::now();
  // A child, one in a session of its own, one that ignores signals, and one that cleared its environment.
  const auto* script =
      "sleep 7701 & setsid sleep 7701 & (trap '' TERM HUP INT; sleep 7701) & env -i sleep 7701 & echo begun; "
      "sleep 7701";
  auto limit = bench.world().begins_within();
  auto done = TRY(bench.shell(place, script, {.limit = limit}));
  // One that was stopped before it began, on a busy machine, says nothing.
  for (int again = 0; again < 3 && done.timed_out && done.out.empty(); ++again) {
    began = Steady::now();
    done = TRY(bench.shell(place, script, {.limit = limit *= 3}));
  }
  const auto took = std::chrono::duration_cast<milliseconds>(Steady::now() - began);
  TRY(expect(done.timed_out && done.exit_code == 137, "it is not said to have been stopped by its limit"));
  TRY(expect(done.out == "begun\n", "what it printed before is lost: \"" + done.out + "\""));
  TRY(expect(took < limit + std::chrono::seconds{20},
             "it took " + std::to_string(took.count()) + " ms to be stopped"));
  const auto left = TRY(count_of(bench, place, "7701"));
  TRY(expect(left == "0", left + " processes of it still run"));
  return Note{};
}

Result<Note> limit_of_the_configuration(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const auto began = Steady::now();
  const auto done =
      TRY(bench.runtime().run(place, {.argv = {"sleep", "600"}, .dir = {}, .environment = {}}, RunBounds{}));
  const auto took = std::chrono::duration_cast<std::chrono::seconds>(Steady::now() - began);
  const auto limit = bench.world().run_timeout();
  TRY(expect(done.timed_out, "a command without a limit of its own was not stopped"));
  TRY(expect(took >= limit && took < limit + std::chrono::seconds{15},
             "it was stopped after " + std::to_string(took.count()) + " s"));
  return Note{"run_timeout_s is " + std::to_string(limit.count()) + " here; its default is 60"};
}

Result<Note> keeps_so_much(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const auto done = TRY(
      bench.shell(place, "head -c 3000000 /dev/zero | tr '\\0' x; echo done > /box/work/done; echo more >&2",
                  {.limit = {}, .max_output = 100'000}));
  TRY(expect(done.out.size() + done.err.size() == 100'000,
             "it kept " + std::to_string(done.out.size() + done.err.size()) + " bytes and not 100000"));
  TRY(expect(done.truncated && !done.timed_out && done.exit_code == 0,
             "it is not said to be truncated alone"));
  TRY(expect(TRY(bench.said(place, "cat /box/work/done")) == "done",
             "the command was cut off with its output"));
  const auto exact =
      TRY(bench.shell(place, "head -c 5000 /dev/zero | tr '\\0' y", {.limit = {}, .max_output = 5000}));
  TRY(expect(exact.out.size() == 5000 && !exact.truncated, "exactly as much as is kept counts as too much"));
  return Note{};
}

Result<Note> not_in_a_stopped_box(Bench& bench) {
  const auto box = bench.box("ended2");
  TRY(bench.runtime().create_storage(box));
  TRY(bench.runtime().ensure(box, bench.spec()));
  const auto ran = bench.shell(Place::of(box), "true");
  TRY(expect(!ran && (ran.error().code == Errc::conflict || ran.error().code == Errc::not_found),
             "a command ran in a box that does not"));
  TRY(bench.runtime().remove(box));
  TRY(bench.runtime().remove_storage(box));
  return Note{};
}

Result<Note> only_where_recorded(Bench& bench) {
  const auto box = bench.box("other");
  TRY(bench.world().impostor(box));
  const auto ran = bench.shell(Place::of(box), "true");
  TRY(expect(!ran && (ran.error().code == Errc::not_found || ran.error().code == Errc::conflict),
             "a command ran in a container that only bears a box's name and label"));
  TRY(expect(bench.runtime().state(box) == State::stopped, "what bears a box's name counts as the box"));
  TRY(bench.runtime().create_storage(box));
  TRY(bench.runtime().ensure(box, bench.spec()));
  TRY(bench.runtime().start(box, bench.spec()));
  TRY(bench.said(Place::of(box), "true"));
  TRY(bench.runtime().remove(box));
  TRY(bench.runtime().remove_storage(box));
  return Note{};
}

constexpr Rule kProcessRules[] = {
    {"run.as_asked",
     "A command runs as the box's user, in its directory, with its variables, both streams apart.",
     runs_as_asked},
    {"run.not_there",
     "A program or directory that is not there ends with 127 or 126, a killed one with 128 and its signal.",
     not_there},
    {"run.limit_kills", "A command stopped by its limit is really dead, and so are its children.",
     dead_with_children},
    {"run.default_limit",
     "A command without a limit of its own is stopped by the configuration's, 60 s by default.",
     limit_of_the_configuration},
    {"run.max_output", "No more output is kept than max_output, and the command goes on.", keeps_so_much},
    {"run.stopped_box", "Nothing runs in a box that does not.", not_in_a_stopped_box},
    {"run.recorded_only", "Processes are started in recorded containers alone; an impostor is replaced.",
     only_where_recorded},
};

}  // namespace

std::span<const Rule> process_rules() { return kProcessRules; }

}  // namespace berth::holder::boxes::conformance
