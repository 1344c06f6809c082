#pragma once
#include <string>

#include "base/owned.h"

namespace berth::holder::engine {

/// A socket that anybody can connect to and nobody serves. curl connects what it is given, and fails where
/// that is connected already; so it gets a new descriptor, connects it here, and then finds in its place the
/// one that was handed over. Process-wide, any thread.
class StandIn {
 public:
  static StandIn& instance();

  /// Its name in the abstract namespace; empty where it could not be made.
  const std::string& name() const { return name_; }
  /// `given` takes the place of `connected`, which curl goes on using.
  bool replace(int connected, OwnedFd given);

 private:
  StandIn();
  void drain();

  OwnedFd listener_;
  std::string name_;
};

}  // namespace berth::holder::engine
