#pragma once
#include <chrono>
#include <filesystem>
#include <string_view>

#include "base/owned.h"
#include "base/result.h"

namespace berth::store {

/// Who may write a machine's store: one process at a time. The lock dies with its process; the file beside the
/// store says who holds it. (Not a lock of the store itself: SQLite loses its own when another descriptor of
/// that file is closed.)
class StoreLock {
 public:
  /// Waits at most `limit`; then Errc::busy naming the holder.
  static Result<StoreLock> take(const std::filesystem::path& store, std::string_view who,
                                std::chrono::milliseconds limit);

 private:
  explicit StoreLock(OwnedFd fd) : fd_(std::move(fd)) {}
  OwnedFd fd_;
};

}  // namespace berth::store
