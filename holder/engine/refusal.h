#pragma once
#include <string_view>

#include "base/result.h"
#include "holder/engine/transport.h"

namespace berth::holder::engine {

/// The engine's "no" as an error that keeps its status and message: 404 not_found, 409 conflict, else
/// engine_refused. `doing` says what was asked: "start web".
Error refusal(const Answer& answer, std::string_view doing);

/// The answer if it is 2xx, else its refusal.
Result<Answer> accepted(Result<Answer> answer, std::string_view doing);

}  // namespace berth::holder::engine
