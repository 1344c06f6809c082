#include "base/hash.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/owned.h"

namespace berth {
namespace {

using Digest = CPtr<EVP_MD_CTX, EVP_MD_CTX_free>;
using Key = CPtr<EVP_PKEY, EVP_PKEY_free>;
using Bio = CPtr<BIO, BIO_free>;

std::string to_hex(const unsigned char* bytes, std::size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string finish(EVP_MD_CTX* context) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(context, digest.data(), &size);
  return to_hex(digest.data(), size);
}

std::vector<unsigned char> from_base64(std::string_view text) {
  std::string compact;
  for (const char c : text) {
    if (c != '\n' && c != '\r' && c != ' ') compact += c;
  }
  if (compact.empty() || compact.size() % 4 != 0) return {};
  std::vector<unsigned char> bytes(compact.size() / 4 * 3);
  const int size = EVP_DecodeBlock(bytes.data(), reinterpret_cast<const unsigned char*>(compact.data()),
                                   static_cast<int>(compact.size()));
  if (size < 0) return {};
  std::size_t padding = 0;
  while (padding < 2 && compact[compact.size() - 1 - padding] == '=') ++padding;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  const Digest context{EVP_MD_CTX_new()};
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  EVP_DigestUpdate(context.get(), bytes.data(), bytes.size());
  return finish(context.get());
}

Result<std::string> sha256_hex_of_file(const std::filesystem::path& path) {
  const OwnedFd fd{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!fd) return errno_error("open", path.native(), errno);
  const Digest context{EVP_MD_CTX_new()};
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  std::vector<char> block(std::size_t{1} << 16);
  for (;;) {
    const auto n = ::read(fd.get(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read", path.native(), errno);
    if (n == 0) return finish(context.get());
    EVP_DigestUpdate(context.get(), block.data(), static_cast<std::size_t>(n));
  }
}

std::string canonical_hash(const Json& document) { 
  return sha256_hex(document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  std::size_t have = 0;
  while (have < bytes) {
    const auto n = ::getrandom(random.data() + have, bytes - have, 0);
    if (n > 0) have += static_cast<std::size_t>(n);
  }
  return to_hex(random.data(), random.size());
}

Result<std::string> ed25519_public_key(std::string_view seed) {
  const Key key{EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(seed.data()), seed.size())};
  std::string bytes(32, '\0');
  auto size = bytes.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), reinterpret_cast<unsigned char*>(bytes.data()), &size) != 1) {
    return fail(Errc::bad_request, "an Ed25519 seed has 32 bytes, not " + std::to_string(seed.size()));
  }
  return bytes;
}

bool ed25519_verifies(std::string_view public_key_pem, std::string_view message, std::string_view signature) {
  const Bio bio{BIO_new_mem_buf(public_key_pem.data(), static_cast<int>(public_key_pem.size()))};
  const Key key{PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr)};
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) return false;
  const auto raw = from_base64(signature);
  const Digest context{EVP_MD_CTX_new()};
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), raw.data(), raw.size(),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size()) == 1;
}

}  // namespace berth
