#include "bus/live.h"

#include "base/file.h"
#include "bus/nkey.h"
#include "bus/tickets.h"
#include "bus/wire.h"

namespace berth::bus {
namespace {

using Options = CPtr<natsOptions, natsOptions_Destroy>;

void on_closed(natsConnection*, void* closure) {
  if (const auto watch = Tickets<Watch>::find(closure)) watch->ended("");
}

void on_error(natsConnection*, natsSubscription*, natsStatus error, void* closure) {
  // The thread's own last error: the connection's is by now perhaps a later one.
  natsStatus status = error;
  const char* text = nats_GetLastError(&status);
  if (const auto watch = Tickets<Watch>::find(closure))
    watch->async_error(error, text == nullptr ? "" : text);
}

/// A password file holds the password and perhaps a line's end.
Result<std::string> read_password(const std::filesystem::path& path) {
  auto text = TRY(read_file(path, 4096));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  if (text.empty()) return fail(Errc::bad_request, path.native() + " holds no password");
  return text;
}

Status check(natsStatus status, std::string_view option) {
  if (status == NATS_OK) return {};
  return to_error(status, "set the bus option " + std::string{option});
}

Status set_log_in(natsOptions* options, const BusConfig& config) {
  if (!config.user.empty()) {
    const auto password = TRY(read_password(config.password_file));
    return check(natsOptions_SetUserInfo(options, config.user.c_str(), password.c_str()), "user");
  }
  if (!config.creds.empty()) {
    return check(natsOptions_SetUserCredentialsFromFiles(options, config.creds.c_str(), nullptr), "creds");
  }
  if (!config.nkey_seed_file.empty()) {
    const auto key = TRY(public_nkey_of_file(config.nkey_seed_file));
    return check(natsOptions_SetNKeyFromSeed(options, key.c_str(), config.nkey_seed_file.c_str()),
                 "nkey_seed_file");
  }
  return {};
}

Status set_tls(natsOptions* options, const BusConfig::Tls& tls) {
  TRY(check(natsOptions_SetSecure(options, true), "tls"));
  if (!tls.ca.empty()) TRY(check(natsOptions_LoadCATrustedCertificates(options, tls.ca.c_str()), "tls.ca"));
  if (tls.cert.empty()) return {};
  return check(natsOptions_LoadCertificatesChain(options, tls.cert.c_str(), tls.key.c_str()), "tls.cert");
}

Status set_behaviour(natsOptions* options, const BusConfig& config, void* ticket) {
  TRY(check(natsOptions_SetURL(options, config.url.c_str()), "url"));
  TRY(check(natsOptions_SetName(options, config.name.empty() ? "berth" : config.name.c_str()), "name"));
  TRY(check(natsOptions_SetAllowReconnect(options, false), "reconnect"));
  TRY(check(natsOptions_SetTimeout(options, 2000), "timeout"));
  TRY(check(natsOptions_SetSendAsap(options, true), "send asap"));  // the default flusher adds 0.9 ms
  // A server that is gone without a word is noticed after at most 15 s.
  TRY(check(natsOptions_SetPingInterval(options, 5000), "ping interval"));
  TRY(check(natsOptions_SetMaxPingsOut(options, 2), "pings out"));
  TRY(check(natsOptions_SetWriteDeadline(options, 5000), "write deadline"));
  TRY(check(natsOptions_SetCustomInboxPrefix(options, config.inbox_prefix.c_str()), "inbox prefix"));
  TRY(check(natsOptions_SetClosedCB(options, on_closed, ticket), "closed"));
  return check(natsOptions_SetErrorHandler(options, on_error, ticket), "errors");
}

Result<Options> make_options(const BusConfig& config, void* ticket) {
  natsOptions* made = nullptr;
  TRY(check(natsOptions_Create(&made), "none"));
  Options options{made};
  TRY(set_behaviour(options.get(), config, ticket));
  TRY(set_log_in(options.get(), config));
  if (config.tls) TRY(set_tls(options.get(), *config.tls));
  return options;
}

}  // namespace

Status log_in_readable(const BusConfig& config) {
  if (!config.password_file.empty()) TRY(read_password(config.password_file));
  if (!config.nkey_seed_file.empty()) TRY(public_nkey_of_file(config.nkey_seed_file));
  return {};
}

Result<std::unique_ptr<Live>> Live::open(const BusConfig& config, std::function<void()> ended) {
  std::unique_ptr<Live> live{new Live};
  live->watch_ = std::make_shared<Watch>(std::move(ended));
  live->ticket_ = Tickets<Watch>::give(live->watch_);
  const auto options = TRY(make_options(config, live->ticket_));
  natsConnection* connection = nullptr;
  if (const auto status = natsConnection_Connect(&connection, options.get()); status != NATS_OK) {
    return to_error(status, "connect to " + config.url);
  }
  live->connection_.reset(connection);
  jsCtx* jet_stream = nullptr;
  if (const auto status = natsConnection_JetStream(&jet_stream, connection, nullptr); status != NATS_OK) {
    return to_error(status, "use JetStream of " + config.url);
  }
  live->jet_stream_.reset(jet_stream);
  return live;
}

/// The library's threads may still hold the watch; whoever it tells may be gone next.
Live::~Live() {
  Tickets<Watch>::forget(ticket_);
  watch_->silence();
}

}  // namespace berth::bus
