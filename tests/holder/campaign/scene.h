#pragma once
// A holder as a process, its broker and an engine, each of which can be killed.
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bus/bus.h"
#include "holder/engine/engine.h"
#include "tests/holder/campaign/truth.h"
#include "tests/support/fakes.h"
#include "tests/support/nats_server.h"

namespace berth::test::campaign {

class Scene {
 public:
  explicit Scene(std::string engine_socket);
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void holder_starts();
  void holder_dies() { holder_ends(9); }
  void holder_ends(int signal);
  /// SIGKILL to the process that listens on the engine's socket; who started it starts it again.
  void engine_dies();
  void engine_answers();  // waits for it, bounded
  NatsServer& broker() { return broker_; }

  /// Everything the stream holds, as a reader that drops known ids has it.
  std::vector<Heard> stream();
  /// The stream has said nothing new for a while: everything has arrived.
  void stream_settles();
  /// What the holder's own store holds: the ids of all events, and how many still wait to go out.
  struct Kept {
    std::vector<std::string> ids;
    std::int64_t waiting = 0;
  };
  Kept kept();
  std::vector<std::string> published_ids();
  std::string log() const;

 private:
  std::vector<bus::StreamMessage> messages();

  TempFolder folder_;
  ScriptedSeam seam_;
  std::string engine_socket_;
  NatsServer broker_;
  std::unique_ptr<bus::Bus> reader_;
  pid_t holder_ = 0;
};

}  // namespace berth::test::campaign
