#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth {

/// Lower-case hex, 64 digits.
std::string sha256_hex(std::string_view bytes);
Result<std::string> sha256_hex_of_file(const std::filesystem::path& path);

/// The hash of a document: sha256 of its text with members in name order and no white space.
std::string canonical_hash(const Json& document);

/// `bytes` random bytes from the kernel as lower-case hex.
std::string random_hex(std::size_t bytes);

/// The 32 bytes of the public key that belongs to an Ed25519 seed of 32 bytes.
Result<std::string> ed25519_public_key(std::string_view seed);

/// Whether `signature` (base64) over `message` was made by the Ed25519 key in `public_key_pem`.
bool ed25519_verifies(std::string_view public_key_pem, std::string_view message, std::string_view signature);

}  // namespace berth
