#pragma once
#include <memory>
#include <stop_token>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/boxes/select.h"
#include "holder/boxes/verbs/table.h"
#include "holder/verbs/recorder.h"

namespace berth::holder::boxes::verbs {

/// One call on the boxes' socket.
struct BoxCall {
  std::string caller;  // "uid:1000"
  std::string verb;
  const Json& params;
  std::stop_token stop = {};  // the holder ends
};

/// The one way in for the boxes' socket: finds the verb, runs it on the runtime that is set, and records
/// every changing call and every refusal, as the other socket does. Any number of calls at once; owned by
/// main.
class BoxDispatcher {
 public:
  BoxDispatcher(BoxesConfig config, const RuntimeSlot& runtime, holder::verbs::Recorder& recorder)
      : config_(std::move(config)), runtime_(runtime), recorder_(recorder) {}

  Result<Json> dispatch(const BoxCall& call);
  /// `box.spawn`, up to the process that began. How it ends is the caller's to see.
  Result<std::unique_ptr<Stream>> spawn(const BoxCall& call);
  /// Records a call that the socket refuses by itself, and answers that error.
  Error refuse(const BoxCall& call, Error error);

 private:
  template <class Work>
  auto recorded(const BoxCall& call, Work work) -> decltype(work());

  const BoxesConfig config_;
  const RuntimeSlot& runtime_;
  holder::verbs::Recorder& recorder_;
};

}  // namespace berth::holder::boxes::verbs
