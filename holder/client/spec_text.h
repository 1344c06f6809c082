#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::holder::client {

// The value forms of the Compose specification, as numbers and back. Nothing but the whole text counts.

/// "64m", "1gb", "4096": bytes, with b, k, m, g (and kb, mb, gb) as powers of 1024.
std::optional<std::int64_t> parse_size(std::string_view text);

/// "10s", "1m30s", "250ms", "0s": h, m, s, ms, us, each with a whole number.
std::optional<std::int64_t> parse_duration_ns(std::string_view text);
std::string duration_text(std::int64_t ns);

/// "0.5", "2": billionths of a CPU, at most nine digits after the point.
std::optional<std::int64_t> parse_cpus(std::string_view text);
std::string cpus_text(std::int64_t nano_cpus);

/// Plain decimal, no sign, no leading zero.
std::optional<std::int64_t> parse_whole(std::string_view text);

}  // namespace berth::holder::client
