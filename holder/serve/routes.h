#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "holder/events/feed.h"
#include "holder/serve/followers.h"
#include "holder/serve/line_stream.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

/// What answers a request. With `lines` the body is what comes through them, for as long as it comes.
struct Reply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::shared_ptr<LineStream> lines = {};
};

/// Listening to the machine's events; absent where none are read.
using ListenToEvents = std::function<events::Feed::Listener(events::Feed::Sink)>;

/// What the requests of one socket are answered from.
struct Served {
  verbs::Dispatcher& dispatcher;
  Followers& followers;
  const ListenToEvents& events;
};

/// What the socket serves: POST /v1/verbs/<verb>, GET /v1/seat, GET /v1/events, GET /healthz, GET /metrics.
/// Blocks for as long as a verb takes. Any thread.
Reply respond(const Served& served, std::string_view method, std::string_view target, std::string_view body);

/// The problem document of an error.
Reply problem(const Error& error);

}  // namespace berth::holder::serve
