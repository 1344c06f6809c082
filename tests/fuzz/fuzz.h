#pragma once
// What every fuzz target needs: the bytes, and a way to say that a property does not hold. A target is one function;
// libFuzzer calls it through entry.cpp, and replay_test.cpp calls all of them with the corpus of the tree.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace berth::fuzz {

void take_spec(std::string_view bytes);
void take_frames(std::string_view bytes);
void take_events(std::string_view bytes);
void take_answers(std::string_view bytes);
void take_seat(std::string_view bytes);
void take_subjects(std::string_view bytes);

/// Something that must hold does not: libFuzzer's process ends, so that the bytes are kept; a replay throws.
[[noreturn]] void broken(const std::string& what);

inline void must_hold(bool holds, const std::string& what) {
  if (!holds) broken(what);
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
