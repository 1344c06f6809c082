#include "holder/serve/line_stream.h"

#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace berth::holder::serve {
namespace {

std::string too_slow() {
  return to_problem(fail(Errc::busy, "lines come faster than they are read: ask again from the last one on")).dump();
}

}  // namespace

void LineStream::wake_taker() {
  std::function<void()> wake;
  {
    const std::scoped_lock lock{mutex_};
    wake = wake_;
  }
  if (wake) wake();
}

bool LineStream::put(const std::string& line) {
  {
    const std::scoped_lock lock{mutex_};
    if (over_ || abandoned_) return false;
    over_ = text_.size() + line.size() > kMostBytes;
    text_ += (over_ ? too_slow() : line) + "\n";
  }
  wake_taker();
  return true;
}

void LineStream::finish(const std::string& line) {
  {
    const std::scoped_lock lock{mutex_};
    if (over_) return;
    over_ = true;
    if (!line.empty()) text_ += line + "\n";
  }
  wake_taker();
}

LineStream::Taken LineStream::take() {
  const std::scoped_lock lock{mutex_};
  return {std::exchange(text_, {}), over_};
}

void LineStream::when_ready(std::function<void()> wake) {
  const std::scoped_lock lock{mutex_};
  wake_ = std::move(wake);
}

void LineStream::abandon() {
  std::function<void()> stop;
  {
    const std::scoped_lock lock{mutex_};
    abandoned_ = true;
    wake_ = nullptr;
    stop = std::exchange(stop_, nullptr);
  }
  if (stop) stop();
}

void LineStream::when_abandoned(std::function<void()> stop) {
  {
    const std::scoped_lock lock{mutex_};
    if (!abandoned_) {
      stop_ = std::move(stop);
      return;
    }
  }
  stop();
}

}  // namespace berth::holder::serve
