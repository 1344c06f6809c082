#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "holder/boxes/runtime.h"

namespace berth::holder::boxes::conformance {

/// Something that answers, and that no box may reach.
struct Target {
  std::string what;  // "a container on the default bridge"
  std::string host;
  int port = 0;
  enum class Kind { tcp, udp } kind = Kind::tcp;
  /// Whether a datagram of this text has come: with udp alone.
  std::function<bool(const std::string& text)> arrived = {};
};

/// A runtime, and what the rules need of the world around it: to break things behind its back, and to put up
/// what a box must not reach. One thread.
class World {
 public:
  virtual ~World() = default;

  virtual std::string name() const = 0;  // "docker", as the report has it
  virtual Runtime& runtime() = 0;
  /// The same kind of runtime, where nobody answers.
  virtual Runtime& silent() = 0;
  virtual BoxSpec spec() const = 0;
  virtual std::int64_t uid() const = 0;
  virtual std::chrono::seconds run_timeout() const = 0;

  /// Opens the box's isolation, as a careless hand would.
  virtual Status breach(const BoxId& box) = 0;
  /// Makes and starts something that bears the box's name and labels, without the runtime.
  virtual Status impostor(const BoxId& box) = 0;
  /// Takes the box's container away, without the runtime.
  virtual Status take_away(const BoxId& box) = 0;
  /// An object of the inventory's kinds that is no box's; answers what remove_object is then asked for.
  virtual Result<Object> stray() = 0;
  virtual Status stop_proxy() = 0;
  virtual Status start_proxy() = 0;
  /// Why the isolation cannot be shown here; empty where it can.
  virtual std::string cannot_isolate() const { return {}; }
  virtual Result<std::vector<Target>> targets() = 0;
  /// Whether a box that is made has a container before its start.
  virtual bool makes_before_start() const = 0;
  /// How long a command may take to begin, at most, on a busy day.
  virtual std::chrono::milliseconds begins_within() const { return std::chrono::milliseconds{1500}; }
};

}  // namespace berth::holder::boxes::conformance
