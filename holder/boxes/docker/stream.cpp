#include "holder/boxes/docker/stream.h"

#include <thread>

#include "holder/boxes/running.h"

namespace berth::holder::boxes::docker {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAskAgain{1000};
constexpr milliseconds kLastWords{150};  // output still under way when the engine says that it ended
constexpr milliseconds kStatusBound{3000};
constexpr milliseconds kKillBound{15'000};

Stream::Piece end_piece(int exit_code) { return {Stream::From::end, {}, exit_code}; }

/// Engines refuse to start another process where none can run, each in a way of its own.
Status went_with_it(const Started& started, const Error& refusal) {
  const auto container = started.calls->engine().inspect(started.container);
  if (!container) return container.error().code == Errc::not_found ? Status{} : Status{refusal};
  return container->summary.state == "running" ? Status{refusal} : Status{};
}

}  // namespace

Status kill_in(const Started& started) {
  const engine::ExecSpec killer{
      .argv = kill_marked(started.mark), .user = started.user, .dir = {}, .environment = {}};
  const auto exec = started.calls->exec_create(started.container, killer);
  if (!exec) return went_with_it(started, exec.error());
  const auto opened = started.calls->exec_start(*exec, false);
  if (!opened) return went_with_it(started, opened.error());
  const auto until = std::chrono::steady_clock::now() + kKillBound;
  while (std::chrono::steady_clock::now() < until) {
    const auto bytes = TRY((*opened)->read(kAskAgain));
    if (!bytes || !TRY(started.calls->exec_state(*exec)).running) return {};
  }
  return fail(Errc::timeout, "kill a process: not done within the time bound");
}

DockerStream::~DockerStream() {
  if (!over_) static_cast<void>(kill());
}

/// Podman takes a size before the process is there to have it, and loses it: its first output shows that it
/// is.
void DockerStream::size_again() {
  if (!std::exchange(sized_, true) && started_.calls->podman()) static_cast<void>(resize(*started_.terminal));
}

Status DockerStream::take(std::string_view bytes) {
  if (started_.terminal) {
    size_again();
    pieces_.push_back({From::out, std::string{bytes}, 0});
    return {};
  }
  return frames_.feed(bytes, [&](int stream, std::string_view payload) {
    if (!payload.empty()) pieces_.push_back({stream == 2 ? From::err : From::out, std::string{payload}, 0});
  });
}

Result<std::optional<Stream::Piece>> DockerStream::next() {
  auto piece = std::move(pieces_.front());
  pieces_.pop_front();
  if (piece.from == From::end) over_ = true;
  return std::optional{std::move(piece)};
}

/// What it started may hold the output open for ever: the engine is asked now and then.
Result<bool> DockerStream::has_ended() {
  if (Steady::now() - asked_ < kAskAgain) return false;
  asked_ = Steady::now();
  return !TRY(started_.calls->exec_state(started_.exec)).running;
}

/// The stream has ended a little before the engine knows how the process did.
Result<std::optional<Stream::Piece>> DockerStream::finish() {
  const auto until = Steady::now() + kStatusBound;
  while (Steady::now() < until) {
    const auto state = TRY(started_.calls->exec_state(started_.exec));
    if (!state.running) {
      pieces_.push_back(end_piece(state.exit_code));
      return next();
    }
    std::this_thread::sleep_for(milliseconds{20});
  }
  return fail(Errc::engine_unreachable, "a process's stream ended, and it still runs");
}

Result<std::optional<Stream::Piece>> DockerStream::read(milliseconds wait) {
  if (over_) return std::optional{end_piece(0)};
  if (!pieces_.empty()) return next();
  const auto bytes = TRY(started_.raw->read(std::min(wait, kAskAgain)));
  if (!bytes) return finish();
  if (!bytes->empty()) {
    TRY(take(*bytes));
    return pieces_.empty() ? std::optional<Piece>{} : TRY(next());
  }
  if (!TRY(has_ended())) return std::optional<Piece>{};
  const auto last = TRY(started_.raw->read(kLastWords));
  if (!last || last->empty()) return finish();
  asked_ = {};  // ask again at once when this is read
  TRY(take(*last));
  return pieces_.empty() ? std::optional<Piece>{} : TRY(next());
}

Status DockerStream::resize(Terminal size) {
  if (!started_.terminal) return fail(Errc::conflict, "the process has no terminal");
  started_.terminal = size;
  return started_.calls->exec_resize(started_.exec, size.columns, size.rows);
}

Status DockerStream::kill() {
  over_ = true;
  auto killed = kill_in(started_);
  if (!killed) started_.unended();
  return killed;
}

}  // namespace berth::holder::boxes::docker
