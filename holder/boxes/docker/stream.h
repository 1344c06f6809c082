#pragma once
#include <chrono>
#include <deque>
#include <functional>
#include <memory>

#include "holder/boxes/runtime.h"
#include "holder/engine/box_calls.h"
#include "holder/engine/frames.h"

namespace berth::holder::boxes::docker {

/// A process that the engine started in a container.
struct Started {
  std::shared_ptr<engine::BoxCalls> calls;
  std::string container, exec, user, mark;
  std::optional<Terminal> terminal;
  std::unique_ptr<engine::RawStream> raw;
  std::function<void()> unended;  // told when it could not be killed
};

/// Kills what bears the mark of `started` in its container, and all that it started. A container that is gone
/// or stopped took its processes with it.
Status kill_in(const Started& started);

class DockerStream final : public Stream {
 public:
  explicit DockerStream(Started started) : started_(std::move(started)) {}
  ~DockerStream() override;

  Result<std::optional<Piece>> read(std::chrono::milliseconds wait) override;
  Status write(std::string_view bytes) override { return started_.raw->write(bytes); }
  Status close_input() override { return started_.raw->close_input(); }
  Status resize(Terminal size) override;
  Status kill() override;

 private:
  using Steady = std::chrono::steady_clock;

  Status take(std::string_view bytes);
  void size_again();
  Result<bool> has_ended();
  Result<std::optional<Piece>> next();
  Result<std::optional<Piece>> finish();

  Started started_;
  engine::FrameParser frames_;
  std::deque<Piece> pieces_;
  Steady::time_point asked_ = Steady::now();  // when the engine was last asked whether it still runs
  bool over_ = false;
  bool sized_ = false;
};

}  // namespace berth::holder::boxes::docker
