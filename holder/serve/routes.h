#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::serve {

struct Reply {
  unsigned status = 200;
  std::string type = "application/json";
  std::string body;
};

/// What the socket serves: POST /v1/verbs/<verb>, GET /v1/seat, GET /healthz, GET /metrics. Blocks for as
/// long as a verb takes. Any thread.
Reply respond(verbs::Dispatcher& dispatcher, std::string_view method, std::string_view target,
              std::string_view body);

/// The problem document of an error.
Reply problem(const Error& error);

}  // namespace berth::holder::serve
