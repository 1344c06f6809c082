#pragma once
#include <optional>
#include <string>

#include "base/json_fwd.h"

namespace berth::migrate::report_detail {

/// What a proof says, in one sentence.
std::string sentence_of(int step, const Json& proof);

/// How many containers a proof saw restarted; nothing where it did not look.
std::optional<std::size_t> restarts_in(const Json& proof);

}  // namespace berth::migrate::report_detail
