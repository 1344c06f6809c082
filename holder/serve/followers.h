#pragma once
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/guarded.h"
#include "base/result.h"
#include "holder/serve/line_stream.h"

namespace berth::holder::serve {

/// The threads that follow a container's log, one a reader: each blocks in the engine's stream until its reader
/// goes. A few at once; ending this stops and waits for all. Any thread.
class Followers {
 public:
  static constexpr std::size_t kMost = 16;
  using Follow = std::function<void(std::stop_token stop)>;

  /// Runs `follow` until it returns; `lines` abandoned stops it. Errc::busy when there are enough of them.
  Status start(LineStream& lines, Follow follow);

 private:
  struct One {
    std::shared_ptr<std::atomic<bool>> over = std::make_shared<std::atomic<bool>>(false);
    std::jthread thread;
  };
  Guarded<std::list<One>> all_;
};

}  // namespace berth::holder::serve
