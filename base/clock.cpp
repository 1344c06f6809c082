#include "base/clock.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace berth {
namespace {

class SystemClock final : public Clock {
 public:
  Time now() const override {
    return std::chrono::time_point_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now());
  }
};

/// Takes exactly `digits` digits from the front of `rest`.
std::optional<int> take_number(std::string_view& rest, std::size_t digits) {
  int value = 0;
  if (rest.size() < digits) return std::nullopt;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + digits, value);
  if (code != std::errc{} || end != rest.data() + digits || value < 0 || rest[0] == '-') return std::nullopt;
  rest.remove_prefix(digits);
  return value;
}

bool take(std::string_view& rest, char c) {
  if (rest.empty() || rest[0] != c) return false;
  rest.remove_prefix(1);
  return true;
}

std::optional<std::chrono::nanoseconds> take_fraction(std::string_view& rest) {
  if (!take(rest, '.')) return std::chrono::nanoseconds{0};
  std::int64_t nanos = 0;
  int digits = 0;
  while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
    if (digits < 9) nanos = nanos * 10 + (rest[0] - '0');
    ++digits;
    rest.remove_prefix(1);
  }
  if (digits == 0) return std::nullopt;
  for (; digits < 9; ++digits) nanos *= 10;
  return std::chrono::nanoseconds{nanos};
}

std::optional<std::chrono::minutes> take_offset(std::string_view& rest) {
  if (take(rest, 'Z') || take(rest, 'z')) return std::chrono::minutes{0};
  const int sign = take(rest, '+') ? 1 : take(rest, '-') ? -1 : 0;
  if (sign == 0) return std::nullopt;
  const auto hours = take_number(rest, 2);
  if (!hours || !take(rest, ':')) return std::nullopt;
  const auto minutes = take_number(rest, 2);
  if (!minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  return std::chrono::minutes{sign * (*hours * 60 + *minutes)};
}

std::optional<Time> parse(std::string_view rest) {
  using namespace std::chrono;
  const auto year = take_number(rest, 4);
  if (!year || !take(rest, '-')) return std::nullopt;
  const auto month = take_number(rest, 2);
  if (!month || !take(rest, '-')) return std::nullopt;
  const auto day = take_number(rest, 2);
  if (!day || !(take(rest, 'T') || take(rest, 't') || take(rest, ' '))) return std::nullopt;
  const auto hour = take_number(rest, 2);
  if (!hour || !take(rest, ':')) return std::nullopt;
  const auto minute = take_number(rest, 2);
  if (!minute || !take(rest, ':')) return std::nullopt;
  const auto second = take_number(rest, 2);
  if (!second) return std::nullopt;
  const auto fraction = take_fraction(rest);
  if (!fraction) return std::nullopt;
  const auto offset = take_offset(rest);
  const year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                            std::chrono::day{static_cast<unsigned>(*day)}};
  // Nanoseconds in 64 bits reach from 1677 to 2262; an engine's "0001-01-01" is no time but the lack of one.
  if (*year < 1678 || *year > 2261) return std::nullopt;
  if (!offset || !rest.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return Time{sys_days{date}} + hours{*hour} + minutes{*minute} + seconds{*second} + *fraction - *offset;
}

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

std::string to_rfc3339(Time time) {
  using namespace std::chrono;
  const auto day_start = floor<days>(time);
  const year_month_day date{day_start};
  const hh_mm_ss clock{time - day_start};
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%09dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
  return text.data();
}

Result<Time> parse_rfc3339(std::string_view text) {
  if (const auto time = parse(text)) return *time;
  return fail(Errc::bad_request, "\"" + std::string{text} + "\" is not an RFC 3339 time");
}

}  // namespace berth
