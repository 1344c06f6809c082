#pragma once
#include <filesystem>
#include <string>

#include "base/owned.h"
#include "base/result.h"

namespace berth::migrate {

/// The runner's lock on one operator store: an open file, so that it ends with its process whatever ends
/// that.
class RunnerLock {
 public:
  /// Errc::stale names who holds it, from what that runner wrote into the file.
  static Result<RunnerLock> take(const std::filesystem::path& file, const std::string& runner);

 private:
  explicit RunnerLock(OwnedFd fd) : fd_(std::move(fd)) {}
  OwnedFd fd_;
};

}  // namespace berth::migrate
