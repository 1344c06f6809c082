#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::bus {

/// The public half ("U…") of a NATS user's seed ("SU…"): what the library wants beside the file it signs
/// with. Errc::bad_request says what is wrong with the text, and nothing of the text itself: it is a secret.
Result<std::string> public_nkey(std::string_view seed);

/// Whether a text is the public key of a user, checksum and all.
bool is_public_nkey(std::string_view text);

/// Of the seed in a file: the line that begins "SU", as the tools of NATS write them, or the only line.
Result<std::string> public_nkey_of_file(const std::filesystem::path& path);

}  // namespace berth::bus
