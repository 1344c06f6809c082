#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/result.h"
#include "holder/boxes/verbs/box_dispatcher.h"

namespace berth::holder::serve {

/// The boxes' face: HTTP/1.1 on a socket of its own, for the user ids that `boxes.uids` names. A connection
/// has a thread, for a verb takes as long as a runtime does and a spawned process as long as it likes; more
/// connections than the bound are told `busy`. Ending it cuts every connection, kills what runs on them, and
/// removes the socket file.
class BoxFace {
 public:
  struct Options {
    std::filesystem::path socket;
    std::vector<uid_t> uids;
    std::size_t connections = 64;
    std::size_t most_body = std::size_t{1} << 20;
    std::chrono::seconds idle{60};     // of a kept connection
    std::chrono::seconds reading{20};  // of one request, from its first byte
  };
  /// Listening when it answers. `dispatcher` outlives it.
  static Result<std::unique_ptr<BoxFace>> open(Options options, boxes::verbs::BoxDispatcher& dispatcher);
  ~BoxFace();

  struct Impl;
  explicit BoxFace(std::unique_ptr<Impl> impl);

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::holder::serve
