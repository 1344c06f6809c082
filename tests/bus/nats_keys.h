#pragma once
// Keys and tokens of NATS, made here as its tools make them: seeds, public keys, and the signed claims that a
// creds file and a server in operator mode hold.
#include <openssl/evp.h>

#include <ctime>
#include <string>

#include "base/hash.h"
#include "base/json.h"

namespace berth::test {

/// 'O' operator, 'A' account, 'U' user.
class NatsKey {
 public:
  explicit NatsKey(char kind) : kind_(kind) {
    const auto hex = random_hex(32);
    for (std::size_t i = 0; i < hex.size(); i += 2) seed_ += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }

  std::string public_key() const { return encoded(std::string(1, prefix()) + ed25519_public_key(seed_).value()); }
  std::string seed() const {
    const auto kind = static_cast<unsigned char>(prefix());
    return encoded(std::string{static_cast<char>(18 << 3 | kind >> 5), static_cast<char>((kind & 31) << 3)} + seed_);
  }
  /// A token over `claims`, signed by this key.
  std::string token(Json claims) const {
    claims.update({{"iat", std::time(nullptr)}, {"iss", public_key()}, {"jti", random_hex(16)}});
    const auto text = base64url(R"({"typ":"JWT","alg":"ed25519-nkey"})") + "." + base64url(claims.dump());
    return text + "." + base64url(sign(text));
  }

  static std::string base64url(const std::string& bytes) {
    std::string text(bytes.size() / 3 * 4 + 8, '\0');
    const auto size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    while (text.ends_with('=')) text.pop_back();
    for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
    return text;
  }

 private:
  char prefix() const { return static_cast<char>(kind_ == 'O' ? 14 << 3 : kind_ == 'A' ? 0 : 20 << 3); }

  std::string sign(const std::string& text) const {
    auto* key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(seed_.data()), seed_.size());
    auto* context = EVP_MD_CTX_new();
    std::string signature(64, '\0');
    auto size = signature.size();
    EVP_DigestSignInit(context, nullptr, nullptr, nullptr, key);
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return signature;
  }

  static std::string encoded(std::string bytes) {
    unsigned crc = 0;
    for (const char c : bytes) {
      crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8;
      for (int bit = 0; bit < 8; ++bit) crc = ((crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1) & 0xffff;
    }
    bytes += static_cast<char>(crc & 0xff);
    bytes += static_cast<char>(crc >> 8);
    std::string text;
    unsigned held = 0, bits = 0;
    for (const char c : bytes) {
      held = held << 8 | static_cast<unsigned char>(c);
      for (bits += 8; bits >= 5; bits -= 5) text += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[held >> (bits - 5) & 31];
      held &= (1U << bits) - 1;
    }
    if (bits > 0) text += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[held << (5 - bits) & 31];
    return text;
  }

  char kind_;
  std::string seed_;
};

}  // namespace berth::test
