#include "holder/client/spec_text.h"

#include <array>
#include <charconv>
#include <utility>

namespace berth::holder::client {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t worth;
};
constexpr std::array kSizes = {Unit{"", 1},         Unit{"b", 1},       Unit{"k", 1 << 10},
                               Unit{"kb", 1 << 10}, Unit{"m", 1 << 20}, Unit{"mb", 1 << 20},
                               Unit{"g", 1 << 30},  Unit{"gb", 1 << 30}};
constexpr std::array kDurations = {Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000},
                                   Unit{"s", 1'000'000'000}, Unit{"ms", 1'000'000}, Unit{"us", 1'000}};
constexpr std::int64_t kNano = 1'000'000'000;

template <std::size_t N>
std::optional<std::int64_t> worth_of(std::string_view name, const std::array<Unit, N>& units) {
  for (const auto& unit : units) {
    if (unit.name == name) return unit.worth;
  }
  return std::nullopt;
}

std::size_t digits_of(std::string_view text) {
  std::size_t n = 0;
  while (n < text.size() && text[n] >= '0' && text[n] <= '9') ++n;
  return n;
}

std::optional<std::int64_t> number(std::string_view digits) {
  std::int64_t value = 0;
  const auto* end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc{} || at != end) return std::nullopt;
  return value;
}

/// a * b + c, or nothing when it does not fit.
std::optional<std::int64_t> times_plus(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  std::int64_t sum = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, &sum)) return std::nullopt;
  return sum;
}

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::optional<std::int64_t> parse_whole(std::string_view text) {
  if (digits_of(text) != text.size() || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  return number(text);
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  const auto split = digits_of(text);
  const auto count = number(text.substr(0, split));
  const auto worth = worth_of(lower(text.substr(split)), kSizes);
  return count && worth ? times_plus(*count, *worth, 0) : std::nullopt;
}

std::optional<std::int64_t> parse_duration_ns(std::string_view text) {
  std::optional<std::int64_t> total = text.empty() ? std::nullopt : std::optional<std::int64_t>{0};
  while (total && !text.empty()) {
    const auto digits = digits_of(text);
    const auto count = number(text.substr(0, digits));
    text.remove_prefix(digits);
    std::size_t letters = 0;
    while (letters < text.size() && (text[letters] < '0' || text[letters] > '9')) ++letters;
    const auto worth = worth_of(text.substr(0, letters), kDurations);
    text.remove_prefix(letters);
    total = count && worth ? times_plus(*count, *worth, *total) : std::nullopt;
  }
  return total;
}

std::string duration_text(std::int64_t ns) {
  std::string text;
  for (const auto& unit : kDurations) {
    if (const auto count = ns / unit.worth; count > 0) text += std::to_string(count) + std::string{unit.name};
    ns %= unit.worth;
  }
  return text.empty() ? "0s" : text;
}

std::optional<std::int64_t> parse_cpus(std::string_view text) {
  const auto point = text.find('.');
  const auto whole = number(text.substr(0, digits_of(text)));
  if (point == std::string_view::npos) {
    return whole && digits_of(text) == text.size() ? times_plus(*whole, kNano, 0) : std::nullopt;
  }
  auto fraction = std::string{text.substr(point + 1)};
  if (!whole || digits_of(text) != point || fraction.empty() || fraction.size() > 9) return std::nullopt;
  if (digits_of(fraction) != fraction.size()) return std::nullopt;
  fraction.resize(9, '0');
  return times_plus(*whole, kNano, number(fraction).value_or(0));
}

std::string cpus_text(std::int64_t nano_cpus) {
  auto text = std::to_string(nano_cpus / kNano);
  if (nano_cpus % kNano == 0) return text;
  auto fraction = std::to_string(nano_cpus % kNano);
  fraction.insert(0, 9 - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return text + "." + fraction;
}

}  // namespace berth::holder::client
