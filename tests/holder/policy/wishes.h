#pragma once
// Random requests of bus callers: lawful documents with something wished for on top, and what bytes become
// when they are cut, doubled and joined.
#include <random>
#include <string>

#include "base/json.h"

namespace berth::test {

/// The same seed makes the same wishes.
class Wishes {
 public:
  explicit Wishes(std::uint64_t seed) : random_(seed) {}

  /// A create's params: lawful, or with up to four members that may not be.
  Json document();
  /// Such a document's bytes, sometimes damaged.
  std::string bytes();

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random_); }
  bool once_in(std::size_t n) { return below(n) == 0; }

 private:
  void add_lawful(Json& document);
  void wish(Json& document);
  void spoil(Json& value);
  std::string damaged(std::string text);

  std::mt19937_64 random_;
};

}  // namespace berth::test
