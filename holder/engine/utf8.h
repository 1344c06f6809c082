#pragma once
#include <string>
#include <string_view>

namespace berth::holder::engine {

/// The text with every byte that is no UTF-8 replaced by U+FFFD: containers write what they like, JSON may
/// not.
std::string valid_utf8(std::string_view bytes);

}  // namespace berth::holder::engine
