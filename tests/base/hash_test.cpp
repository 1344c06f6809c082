#include "base/hash.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <fstream>
#include <set>

#include "base/json.h"
#include "base/owned.h"
#include "catch.h"
#include "tests/support/fakes.h"

using namespace berth;

namespace {

using Key = CPtr<EVP_PKEY, EVP_PKEY_free>;
using Context = CPtr<EVP_MD_CTX, EVP_MD_CTX_free>;
using Bio = CPtr<BIO, BIO_free>;

Key ed25519_key() { return Key{EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519")}; }

std::string public_pem(EVP_PKEY* key) {
  const Bio bio{BIO_new(BIO_s_mem())};
  PEM_write_bio_PUBKEY(bio.get(), key);
  char* text = nullptr;
  const auto size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string signature(EVP_PKEY* key, const std::string& message) {
  const Context context{EVP_MD_CTX_new()};
  unsigned char raw[64];
  std::size_t size = sizeof raw;
  EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key);
  EVP_DigestSign(context.get(), raw, &size, reinterpret_cast<const unsigned char*>(message.data()), message.size());
  unsigned char text[96];
  const int length = EVP_EncodeBlock(text, raw, static_cast<int>(size));
  return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)};
}

}  // namespace

TEST_CASE("sha256 is that of the standard's examples, of text and of files", "[base]") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  const std::string million(1'000'000, 'a');
  CHECK(sha256_hex(million) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  test::TempFolder folder;
  std::ofstream{folder / "f"} << million;
  CHECK(sha256_hex_of_file(folder / "f").value() == sha256_hex(million));
  CHECK_FALSE(sha256_hex_of_file(folder / "none"));
}

TEST_CASE("a document's hash does not depend on member order or white space, but on every value", "[base]") {
  const auto hash = [](const char* text) { return canonical_hash(Json::parse(text)); };
  CHECK(hash(R"({"a": 1, "b": [1, 2]})") == hash(R"({ "b":[1,2], "a":1 })"));
  CHECK(hash(R"({"a": 1})") != hash(R"({"a": "1"})"));
  CHECK(hash(R"({"a": [1, 2]})") != hash(R"({"a": [2, 1]})"));
  CHECK_NOTHROW(canonical_hash(Json("\xff")));
}

TEST_CASE("random text is of the length asked for and not the same twice", "[base]") {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto text = random_hex(8);
    CHECK(text.size() == 16);
    CHECK(text.find_first_not_of("0123456789abcdef") == std::string::npos);
    CHECK(seen.insert(text).second);
  }
  CHECK(random_hex(0).empty());
}

TEST_CASE("a signature is taken only from its key, over its message, whole", "[base]") {
  const auto key = ed25519_key();
  REQUIRE(key);
  const auto pem = public_pem(key.get());
  const auto good = signature(key.get(), "the digest");
  CHECK(ed25519_verifies(pem, "the digest", good));
  CHECK(ed25519_verifies(pem, "the digest", good + "\n"));
  CHECK_FALSE(ed25519_verifies(pem, "the digesT", good));
  CHECK_FALSE(ed25519_verifies(public_pem(ed25519_key().get()), "the digest", good));
  auto bent = good;
  bent[10] = bent[10] == 'A' ? 'B' : 'A';
  CHECK_FALSE(ed25519_verifies(pem, "the digest", bent));
  for (const std::string wrong : {"", "====", "x", "not base64 at all!", "AAAA"}) {
    CAPTURE(wrong);
    CHECK_FALSE(ed25519_verifies(pem, "the digest", wrong));
    CHECK_FALSE(ed25519_verifies(wrong, "the digest", good));
  }
  CHECK_FALSE(ed25519_verifies(pem, "the digest", good.substr(0, good.size() - 4)));
}
