#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{25};

/// Reads until the text has come or the stream ended.
Result<std::string> read_until(Stream& stream, const std::string& wanted) {
  std::string text;
  const auto until = Steady::now() + kPatience;
  while (Steady::now() < until) {
    const auto piece = TRY(stream.read(milliseconds{500}));
    if (!piece) continue;
    if (piece->from == Stream::From::end) break;
    text += piece->bytes;
    if (text.find(wanted) != std::string::npos) return text;
  }
  return fail(Errc::failed, "\"" + wanted + "\" did not come; this did: \"" + text + "\"");
}

/// How it ended: an exit code, or the error of a stream that is gone. Errc::failed when it does not end.
Result<int> end_of(Stream& stream) {
  const auto until = Steady::now() + kPatience;
  while (Steady::now() < until) {
    const auto piece = TRY(stream.read(milliseconds{500}));
    if (piece && piece->from == Stream::From::end) return piece->exit_code;
  }
  return fail(Errc::failed, "the stream does not end");
}

/// Asks again: a size takes a moment to arrive.
Status size_becomes(Stream& stream, const std::string& size) {
  const auto until = Steady::now() + std::chrono::seconds{10};
  std::string text;
  while (Steady::now() < until) {
    TRY(stream.write("\n"));
    const auto piece = TRY(stream.read(milliseconds{200}));
    if (piece) text += piece->bytes;
    if (text.find(size) != std::string::npos) return {};
  }
  return fail(Errc::failed, "the terminal does not become " + size + ": \"" + text + "\"");
}

Command script(const std::string& text) { return {.argv = {"sh", "-c", text}, .dir = {}, .environment = {}}; }

Result<Note> both_ways(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const auto stream = TRY(bench.runtime().spawn(
      place, script("while read line; do echo \"got $line\"; [ $line = end ] && exit 5; done"), {}));
  TRY(stream->write("first\n"));
  TRY(read_until(*stream, "got first\n"));
  TRY(stream->write("second\nend\n"));
  TRY(read_until(*stream, "got end\n"));
  const auto code = TRY(end_of(*stream));
  TRY(expect(code == 5, "it ended with " + std::to_string(code) + " and not with 5"));
  TRY(expect(stream->kill().ok(), "killing what has ended is an error"));
  return Note{};
}

Result<Note> end_of_input(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const auto stream = TRY(bench.runtime().spawn(place, script("cat; echo after; exit 3"), {}));
  const std::string bytes{"\0\x01zero and \xff high\n", 17};
  TRY(stream->write(bytes));
  TRY(read_until(*stream, bytes));
  const auto closed = stream->close_input();
  if (!closed && closed.error().code == Errc::conflict) {
    TRY(stream->kill());
    return skip("this runtime cannot end a process's input: " + closed.error().detail);
  }
  TRY(closed);
  TRY(read_until(*stream, "after"));
  TRY(expect(TRY(end_of(*stream)) == 3, "its exit code is lost"));
  return Note{};
}

Result<Note> ends_with_its_box(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  const auto stream = TRY(bench.runtime().spawn(Place::of(box), script("echo up; sleep 600"), {}));
  TRY(read_until(*stream, "up"));
  TRY(bench.runtime().stop(box));
  const auto ended = end_of(*stream);
  TRY(expect(ended.ok() || ended.error().code != Errc::failed, "a stream outlives its box"));
  TRY(expect(stream->kill().ok(), "killing what went with its box is an error"));
  TRY(bench.runtime().start(box, bench.spec()));
  return Note{ended ? "ended with " + std::to_string(*ended) : "ended with: " + ended.error().detail};
}

Result<Note> dropped_is_dead(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  {
    const auto stream = TRY(
        bench.runtime().spawn(place, script("sleep 600 & echo $! $$ > /box/work/pids; echo up; wait"), {}));
    TRY(read_until(*stream, "up"));
  }
  const auto left = TRY(bench.said(place,
                                   "n=0; for p in $(cat /box/work/pids); do [ -e /proc/$p ] && ! grep -q "
                                   "'^State:.Z' /proc/$p/status && n=$((n+1)); "
                                   "done; echo $n"));
  TRY(expect(left == "0", left + " processes of a stream that was dropped still run"));
  return Note{};
}

Result<Note> terminal(Bench& bench) {
  const auto place = Place::of(TRY(bench.running("main")));
  const auto shell = script("test -t 0 && test -t 1 && echo a terminal; while read line; do stty size; done");
  const auto stream = TRY(bench.runtime().spawn(place, shell, Terminal{.columns = 101, .rows = 33}));
  TRY(read_until(*stream, "a terminal"));
  TRY(size_becomes(*stream, "33 101"));
  TRY(stream->resize({.columns = 132, .rows = 43}));
  TRY(size_becomes(*stream, "43 132"));
  TRY(stream->kill());
  const auto plain = TRY(bench.runtime().spawn(place, script("test -t 0 || echo none; read x"), {}));
  TRY(read_until(*plain, "none"));
  const auto resized = plain->resize({});
  TRY(expect(!resized && resized.error().code == Errc::conflict, "what has no terminal is resized"));
  return Note{};
}

constexpr Rule kStreamRules[] = {
    {"spawn.both_ways", "A spawned process reads what is written, and its end carries its exit code.",
     both_ways},
    {"spawn.end_of_input", "Bytes pass as they are, and a process can be told that no more come.",
     end_of_input},
    {"spawn.ends_with_the_box", "A stream ends when its box is stopped under it.", ends_with_its_box},
    {"spawn.dropped_is_dead", "A process whose stream is dropped is dead, and so are its children.",
     dropped_is_dead},
    {"spawn.terminal", "A terminal is one, and has the size it is given.", terminal},
};

}  // namespace

std::span<const Rule> stream_rules() { return kStreamRules; }

}  // namespace berth::holder::boxes::conformance
