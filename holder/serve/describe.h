#pragma once
#include <string>

namespace berth::holder::serve {

/// `berth-holder describe`: the verbs with class, params and summary, and the event kinds.
std::string json_description();
/// docs/verbs.md.
std::string markdown_description();

}  // namespace berth::holder::serve
