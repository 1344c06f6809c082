#include "holder/events/reader.h"

#include "base/error.h"

namespace berth::holder::events {
namespace {
using namespace std::chrono_literals;
constexpr auto kSteady = 5s;  // a stream that lasted this long was no failure
}  // namespace

void Reader::tell(bool up, const std::string& why) {
  if (last_told_ == up) return;
  last_told_ = up;
  if (told_) told_(up, why);
}

Status Reader::read_once(std::stop_token stop, bool after_loss) {
  const std::shared_ptr<engine::Engine> engine = TRY(open_());
  TRY(engine->ping());
  const auto since = resume_from_.with([](const auto& at) { return at; });
  // The keeper compares once it is connected: only a stream that is open has all that a list may be ahead of.
  auto ended = engine->events(since, stop, [&](engine::RawEvent event) {
    if (event.type != "stream" || event.action != "open") return intake_.push(std::move(event));
    tell(true, "");
    intake_.connected({engine, after_loss});
  });
  intake_.disconnected();
  return ended;
}

void Reader::run(std::stop_token stop) {
  Backoff backoff{100ms, 5000ms};
  bool after_loss = false;
  while (!stop.stop_requested()) {
    const auto began = std::chrono::steady_clock::now();
    const auto ended = read_once(stop, after_loss);
    if (stop.stop_requested()) return;
    after_loss = after_loss || last_told_.value_or(false);
    tell(false, ended ? "the stream ended" : to_text(ended.error()));
    if (std::chrono::steady_clock::now() - began > kSteady) backoff.reset();
    pause_.wait(stop, backoff.next());
  }
}

}  // namespace berth::holder::events
