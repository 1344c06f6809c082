#include "bus/nkey.h"

#include <array>
#include <cstdint>
#include <optional>

#include "base/file.h"
#include "base/hash.h"

namespace berth::bus {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
// The first letter of the text, as the bits it stands for: S, and U for a user's key.
constexpr unsigned kSeed = 18U << 3, kUser = 20U << 3;
constexpr std::size_t kKeyBytes = 32;

/// Base 32 without padding. Bits left over must be none of a byte's.
std::optional<std::string> from_base32(std::string_view text) {
  std::string bytes;
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : text) {
    const auto at = kLetters.find(c);
    if (at == std::string_view::npos) return std::nullopt;
    held = held << 5 | static_cast<std::uint32_t>(at);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
    held &= (1U << bits) - 1;
  }
  return held == 0 && bits < 5 ? std::optional{bytes} : std::nullopt;
}

std::string to_base32(std::string_view bytes) {
  std::string text;
  std::uint32_t held = 0;
  unsigned bits = 0;
  for (const char c : bytes) {
    held = held << 8 | static_cast<unsigned char>(c);
    for (bits += 8; bits >= 5; bits -= 5) text += kLetters[held >> (bits - 5) & 31];
    held &= (1U << bits) - 1;
  }
  if (bits > 0) text += kLetters[held << (5 - bits) & 31];
  return text;
}

/// CRC-16/XMODEM, the last two bytes of every key, low one first.
std::string checksum(std::string_view bytes) {
  std::uint32_t crc = 0;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1 ^ ((crc & 0x8000) != 0 ? 0x1021U : 0U)) & 0xffff;
  }
  return {static_cast<char>(crc & 0xff), static_cast<char>(crc >> 8)};
}

unsigned byte_at(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

Error no_seed(const char* why) {
  return fail(Errc::bad_request, std::string{"this is no seed of a NATS user: "} + why);
}

}  // namespace

Result<std::string> public_nkey(std::string_view seed) {
  const auto raw = from_base32(seed);
  if (!raw) return no_seed("it has other letters than A-Z and 2-7");
  if (raw->size() != kKeyBytes + 4) return no_seed("it is not 58 letters long");
  const std::string_view body{raw->data(), kKeyBytes + 2};
  if (checksum(body) != raw->substr(kKeyBytes + 2)) return no_seed("its checksum is wrong");
  if ((byte_at(body, 0) & 0xf8) != kSeed) return no_seed("it does not begin with S");
  if (((byte_at(body, 0) & 7) << 5 | byte_at(body, 1) >> 3) != kUser)
    return no_seed("it is not a user's: SU");
  const auto key = TRY(ed25519_public_key(body.substr(2)));
  const auto named = std::string(1, static_cast<char>(kUser)) + key;
  return to_base32(named + checksum(named));
}

bool is_public_nkey(std::string_view text) {
  const auto raw = from_base32(text);
  if (!raw || raw->size() != kKeyBytes + 3 || byte_at(*raw, 0) != kUser) return false;
  return checksum(std::string_view{*raw}.substr(0, kKeyBytes + 1)) == raw->substr(kKeyBytes + 1);
}

Result<std::string> public_nkey_of_file(const std::filesystem::path& path) {
  const auto text = TRY(read_file(path, 4096));
  std::string_view rest{text};
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find_first_of("\r\n"));
    if (line.starts_with("SU")) {
      auto key = public_nkey(line);
      return key ? key : Result<std::string>{std::move(key).error().while_doing(path.native())};
    }
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return fail(Errc::bad_request, path.native() + " holds no seed of a NATS user: no line begins with SU");
}

}  // namespace berth::bus
