#include "holder/boxes/running.h"

#include "base/hash.h"

namespace berth::holder::boxes {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostArguments = 4096;
constexpr std::size_t kMostBytes = std::size_t{128} << 10;

// What is found is stopped first, so that it starts nothing while the rest is looked for. A process is found
// by the mark in its environment, by its parent, or by its session: one that cleared its environment is still
// one of the two others until it has left both. `set --` splits /proc/N/stat after the name: state, parent,
// group, session. Process 1 and this one are spared. What is killed takes a moment to be gone on a busy day.
constexpr const char* kKillMarked = R"(m=$1 found=' ' sessions=' ' left=40
while [ $left -gt 0 ]; do
  left=$((left - 1)) more=
  for d in /proc/[0-9]*; do
    p=${d#/proc/}
    [ "$p" = 1 ] && continue
    [ "$p" = $$ ] && continue
    case $found in *" $p "*) continue ;; esac
    { read -r l <"$d/stat"; } 2>/dev/null || continue
    l=${l##*) }
    set -- $l
    [ "$1" = Z ] && continue
    hit=
    case $found in *" $2 "*) hit=1 ;; esac
    case $sessions in *" $4 "*) hit=1 ;; esac
    if [ -z "$hit" ]; then
      case $(cat "$d/environ" 2>/dev/null) in *"$m"*) hit=1 ;; esac
    fi
    [ -z "$hit" ] && continue
    kill -STOP "$p" 2>/dev/null && more=1 found="$found$p " sessions="$sessions$4 "
  done
  [ -z "$more" ] && break
done
for p in $found; do kill -KILL "$p" 2>/dev/null; done
left=200
for p in $found; do
  while [ $left -gt 0 ] && { read -r l <"/proc/$p/stat"; } 2>/dev/null; do
    case ${l##*) } in [ZX]*) break ;; esac
    left=$((left - 1))
    sleep 0.02 2>/dev/null || sleep 1
  done
done
exit 0)";

void keep(RunResult& result, const Stream::Piece& piece, std::size_t max_output) {
  auto& text = piece.from == Stream::From::err ? result.err : result.out;
  const auto room = max_output - std::min(max_output, result.out.size() + result.err.size());
  text.append(piece.bytes, 0, room);
  if (piece.bytes.size() > room) result.truncated = true;
}

}  // namespace

std::string new_mark() { return random_hex(12); }

std::vector<std::string> in_directory(const Command& command) {
  std::vector<std::string> argv = {"sh", "-c", "cd -- \"${1:-$HOME}\" || exit 126; shift; exec \"$@\"", "sh",
                                   command.dir};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

std::vector<std::string> kill_marked(const std::string& mark) {
  return {"sh", "-c", kKillMarked, "sh", std::string{kMark} + "=" + mark};
}

std::vector<std::string> idle_command() {
  return {"sh", "-c", "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"};
}

Status check_command(const Command& command) {
  std::size_t bytes = command.dir.size();
  const auto sound = [&](const std::string& text) {
    bytes += text.size() + 1;
    return text.find('\0') == std::string::npos;
  };
  if (command.argv.empty() || command.argv.front().empty())
    return fail_field(Errc::bad_request, "command", "command must name a program");
  if (!command.dir.empty() && !command.dir.starts_with('/'))
    return fail_field(Errc::bad_request, "dir", "dir must be an absolute path");
  for (const auto& word : command.argv)
    if (!sound(word)) return fail_field(Errc::bad_request, "command", "command holds a zero byte");
  for (const auto& [name, value] : command.environment) {
    const bool named = !name.empty() && name.find('=') == std::string::npos && name != kMark;
    if (!named || !sound(name) || !sound(value))
      return fail_field(Errc::bad_request, "environment", "\"" + name + "\" cannot be set");
  }
  if (command.argv.size() > kMostArguments || bytes > kMostBytes)
    return fail_field(Errc::bad_request, "command", "command is longer than 128 KiB");
  return {};
}

Result<RunResult> run_to_end(Stream& stream, const RunBounds& bounds, milliseconds limit) {
  RunResult result;
  const auto until = Steady::now() + bounds.limit.value_or(limit);
  while (!bounds.stop.stop_requested()) {
    const auto left = std::chrono::duration_cast<milliseconds>(until - Steady::now());
    if (left.count() <= 0) break;
    const auto piece = TRY(stream.read(std::min(left, milliseconds{1000})));
    if (!piece) continue;
    if (piece->from == Stream::From::end) {
      result.exit_code = piece->exit_code;
      return result;
    }
    keep(result, *piece, bounds.max_output);
  }
  TRY(stream.kill());
  if (bounds.stop.stop_requested()) return fail(Errc::failed, "the command was killed: berth ends");
  result.timed_out = true;
  result.exit_code = 137;
  return result;
}

}  // namespace berth::holder::boxes
