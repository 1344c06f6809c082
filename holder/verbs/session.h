#pragma once
#include "base/clock.h"
#include "holder/engine/engine.h"
#include "holder/policy/quota.h"
#include "holder/verbs/call.h"
#include "holder/verbs/facts.h"
#include "holder/verbs/recorder.h"

namespace berth::holder::verbs {

/// What one call of a verb has to work with. One thread, as long as the call.
struct Session {
  engine::Engine& engine;
  const Facts& facts;
  const Clock& clock;
  policy::Quota& quota;
  Recorder& recorder;
  Face face;
  const std::string& caller;
  std::size_t max_reply;

  client::Asker asker() const { return face == Face::socket ? client::Asker::host : client::Asker::bus; }
};

}  // namespace berth::holder::verbs
