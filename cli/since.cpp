#include "cli/since.h"

#include <charconv>
#include <optional>

namespace berth::cli {
namespace {

std::optional<std::chrono::seconds> unit_of(std::string_view text) {
  if (text == "s") return std::chrono::seconds{1};
  if (text == "m") return std::chrono::minutes{1};
  if (text == "h") return std::chrono::hours{1};
  if (text == "d") return std::chrono::hours{24};
  return std::nullopt;
}

}  // namespace

Result<std::string> parse_since(std::string_view text, Time now) {
  std::int64_t count = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  const auto unit = unit_of(text.substr(static_cast<std::size_t>(end - text.data())));
  if (code == std::errc{} && unit && count >= 0 && count <= 1'000'000) return to_rfc3339(now - count * *unit);
  if (const auto time = parse_rfc3339(text)) return to_rfc3339(*time);
  return fail_field(Errc::bad_request, "--since",
                    "--since \"" + std::string{text} + "\" is neither a time before now (30s, 10m, 2h, 1d) nor an RFC 3339 time");
}

}  // namespace berth::cli
