#pragma once
// What every fuzz target needs: the bytes, and a way to say that a property does not hold.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace berth::fuzz {

/// Ends the process, so that the bytes are kept: something that must hold does not.
inline void must_hold(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The bytes in pieces, whose lengths are the first bytes': as a stream comes.
template <class Take>
void in_pieces(std::string_view bytes, Take take) {
  while (!bytes.empty()) {
    const auto length = std::min<std::size_t>(bytes.size(), 1 + static_cast<unsigned char>(bytes.front()) % 61);
    take(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
}

}  // namespace berth::fuzz
