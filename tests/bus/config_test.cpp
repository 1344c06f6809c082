#include "base/json.h"
#include "bus/bus.h"
#include "catch.h"

using berth::Json;
using berth::bus::BusConfig;

namespace {
std::string refusal(const Json& document) {
  const auto parsed = BusConfig::parse(document, "holder.json: bus");
  return parsed ? "none" : parsed.error().detail;
}
}  // namespace

TEST_CASE("a bus section is read, and every wrong member is named with its document") {
  const auto config =
      BusConfig::parse({{"url", "nats://h:4222"}, {"user", "u"}, {"password_file", "/p"}}, "x");
  REQUIRE(config.ok());
  CHECK(config->user == "u");
  CHECK(config->inbox_prefix == "_INBOX");
  CHECK(refusal(Json::object()) == "holder.json: bus.url is required");
  CHECK(refusal({{"url", "http://h"}}) == "holder.json: bus.url must begin nats:// or tls://");
  CHECK(refusal({{"url", "nats://h"}, {"user", "u"}}) ==
        "holder.json: bus.password_file is required: user and password_file belong together");
  CHECK(refusal({{"url", "nats://h"}, {"user", "u"}, {"password_file", "/p"}, {"creds", "/c"}}) ==
        "holder.json: bus.creds stands beside user: give one of them");
  CHECK(refusal({{"url", "nats://h"}, {"nkey_seed_file", "/n"}}) == "none");
  CHECK(refusal({{"url", "nats://h"}, {"creds", "/c"}, {"nkey_seed_file", "/n"}}) ==
        "holder.json: bus.nkey_seed_file stands beside creds: give one of them");
  CHECK(refusal({{"url", "nats://h"}, {"user", "u"}, {"password_file", "/p"}, {"nkey_seed_file", "/n"}}) ==
        "holder.json: bus.nkey_seed_file stands beside user: give one of them");
  CHECK(refusal({{"url", "nats://h"}, {"pasword", "x"}}) == "holder.json: bus.pasword is not a known field");
  CHECK(refusal({{"url", "nats://h"}, {"tls", {{"cert", "/c"}}}})
            .find("bus.tls.cert and key belong together") != std::string::npos);
}
