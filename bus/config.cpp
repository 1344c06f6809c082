#include "base/fields.h"
#include "base/json.h"
#include "bus/bus.h"

namespace berth::bus {
namespace {

std::optional<BusConfig::Tls> parse_tls(const Json& document, std::string path, Fields& parent) {
  Fields f{document, std::move(path)};
  BusConfig::Tls tls{f.text("ca", ""), f.text("cert", ""), f.text("key", "")};
  if (tls.cert.empty() != tls.key.empty()) f.refuse("cert", "and key belong together");
  if (const auto done = f.finish(); !done) parent.refuse("tls", "is wrong: " + done.error().detail);
  return tls;
}

/// One log-in, or none for a broker that asks for none.
void refuse_two_log_ins(const BusConfig& config, Fields& f) {
  const std::string first = !config.user.empty() ? "user" : "creds";
  if (!config.user.empty() && !config.creds.empty()) f.refuse("creds", "stands beside user: give one of them");
  if (!config.nkey_seed_file.empty() && !(config.user.empty() && config.creds.empty()))
    f.refuse("nkey_seed_file", "stands beside " + first + ": give one of them");
}

}  // namespace

Result<BusConfig> BusConfig::parse(const Json& document, std::string path) {
  Fields f{document, path};
  BusConfig config;
  config.url = f.text("url");
  config.user = f.text("user", "");
  config.password_file = f.text("password_file", "");
  config.creds = f.text("creds", "");
  config.nkey_seed_file = f.text("nkey_seed_file", "");
  if (f.has("tls")) config.tls = parse_tls(f.object("tls"), f.path_of("tls"), f);
  if (!config.url.starts_with("nats://") && !config.url.starts_with("tls://")) {
    f.refuse("url", "must begin nats:// or tls://");
  }
  if (config.user.empty() != config.password_file.empty()) {
    f.refuse(config.user.empty() ? "user" : "password_file",
             "is required: user and password_file belong together");
  }
  refuse_two_log_ins(config, f);
  TRY(f.finish());
  return config;
}

}  // namespace berth::bus
