// The ways to log in to a real broker: TLS both ways, an nkey's seed, a creds file; and how each fails.
#include <atomic>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "base/process.h"
#include "bus/bus.h"
#include "bus/nkey.h"
#include "bus/subjects.h"
#include "catch.h"
#include "tests/bus/nats_keys.h"
#include "tests/support/fakes.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using namespace berth;  // NOLINT: a test reads better
using bus::Bus;
using bus::BusConfig;
using test::NatsKey;
using test::NatsServer;

namespace {

// A pair that NATS prints in its own documentation.
constexpr const char* kSeed = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY";
constexpr const char* kPublic = "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4";

std::filesystem::path written(const std::filesystem::path& path, const std::string& text) {
  std::ofstream{path} << text;
  return path;
}

/// "" once connected, else why not.
std::string logged_in(const BusConfig& config, std::chrono::milliseconds limit = 3s) {
  const auto bus = Bus::connect(config, no_faults(), limit);
  return bus ? "" : bus.error().detail;
}

bool may_say(Bus& bus, const std::string& subject) {
  REQUIRE(bus.publish({subject, "", {}, "x"}).ok());
  return bus.flush(2s).ok();
}

BusConfig reaching(std::string url) {
  BusConfig config;
  config.url = std::move(url);
  config.inbox_prefix = bus::inbox_prefix("holder-alder");
  return config;
}

/// A certificate authority, a server's and a client's certificate, as an operator makes them with openssl.
struct Certificates {
  Certificates() {
    make("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem");
    sign("server", "-addext subjectAltName=IP:127.0.0.1");
    sign("client", "");
  }
  void sign(const std::string& name, const std::string& more) {
    make("openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" + name + " " + more + " -keyout " + name + ".key -out " + name + ".csr");
    make("openssl x509 -req -in " + name + ".csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -copy_extensions copy -out " + name + ".pem");
  }
  void make(const std::string& line) {
    const auto done = run_process({"sh", "-c", "cd " + folder.path().native() + " && " + line}, 20s, no_faults());
    if (!done) FAIL(done.error().detail);
    if (done->exit_status != 0) FAIL(line << ": " << done->err);
  }
  std::string block(bool verify) const {
    return "tls { cert_file: \"" + (folder / "server.pem").native() + "\", key_file: \"" + (folder / "server.key").native() + "\", ca_file: \"" +
           (folder / "ca.pem").native() + "\", verify: " + (verify ? "true" : "false") + " }";
  }
  test::TempFolder folder;
};

}  // namespace

TEST_CASE("an nkey's public half is found from its seed, and what is no user's seed is refused without being told", "[bus]") {
  CHECK(bus::public_nkey(kSeed).value() == kPublic);
  CHECK(bus::is_public_nkey(kPublic));
  CHECK_FALSE(bus::is_public_nkey(kSeed));
  CHECK_FALSE(bus::is_public_nkey(""));
  CHECK_FALSE(bus::is_public_nkey(NatsKey{'A'}.public_key()));
  const NatsKey made{'U'};
  CHECK(bus::public_nkey(made.seed()).value() == made.public_key());
  const auto why = [](const std::string& text) {
    const auto key = bus::public_nkey(text);
    REQUIRE_FALSE(key.ok());
    CHECK(key.error().code == Errc::bad_request);
    CHECK((text.size() < 8 || key.error().detail.find(text) == std::string::npos));
    return key.error().detail.substr(std::string{"this is no seed of a NATS user: "}.size());
  };
  CHECK(why("") == "it is not 58 letters long");
  CHECK(why("SUA1") == "it has other letters than A-Z and 2-7");
  CHECK(why(kPublic) == "it is not 58 letters long");
  auto typo = std::string{kSeed};
  typo[20] = typo[20] == 'A' ? 'B' : 'A';
  CHECK(why(typo) == "its checksum is wrong");
  CHECK(why(NatsKey{'A'}.seed()) == "it is not a user's: SU");
}

TEST_CASE("an nkey's seed file logs in, with what the server lets that key do, and another's seed does not", "[bus][nats]") {
  const NatsKey other{'U'};
  NatsServer server{std::string{"authorization { users = [ { nkey: "} + kPublic + ", permissions: { publish: [\"mesh.a\"], subscribe: [\"_INBOX.holder-alder.>\"] } } ] }"};
  auto config = reaching(server.url());
  config.nkey_seed_file = written(server.folder() / "seed.nk", std::string{"# holder-alder\n"} + kSeed + "\n");
  const auto bus = Bus::connect(config, no_faults(), 3s);
  if (!bus) FAIL(bus.error().detail);
  CHECK(may_say(**bus, "mesh.a"));
  CHECK_FALSE(may_say(**bus, "mesh.b"));

  config.nkey_seed_file = written(server.folder() / "other.nk", other.seed());
  CHECK(logged_in(config, 1s).find("Authorization Violation") != std::string::npos);
  config.nkey_seed_file = written(server.folder() / "none.nk", "nothing of the kind\n");
  CHECK(logged_in(config, 1s).find("none.nk holds no seed of a NATS user") != std::string::npos);
  config.nkey_seed_file = server.folder() / "missing.nk";
  CHECK(logged_in(config, 1s).find("missing.nk") != std::string::npos);
}

TEST_CASE("a seed file that is replaced is read again at the next connection", "[bus][nats]") {
  const NatsKey first{'U'}, second{'U'};
  const auto users = [](const NatsKey& key) { return "authorization { users = [ { nkey: " + key.public_key() + " } ] }"; };
  NatsServer server{users(first)};
  auto config = reaching(server.url());
  config.nkey_seed_file = written(server.folder() / "seed.nk", first.seed());
  std::atomic<int> logins = 0;
  const auto bus = Bus::start(config, no_faults(), [&](bool up, const std::string&) { logins += up ? 1 : 0; });
  const auto becomes = [&](int wanted) {
    const auto deadline = std::chrono::steady_clock::now() + 25s;
    while (std::chrono::steady_clock::now() < deadline && logins < wanted) std::this_thread::sleep_for(20ms);
    return logins >= wanted;
  };
  REQUIRE(becomes(1));
  written(config.nkey_seed_file, second.seed());
  server.set_authorization(users(second));  // the old key's connections are closed
  CHECK(becomes(2));
}

TEST_CASE("a creds file logs in to a server in operator mode, with what its token lets it do", "[bus][nats]") {
  const NatsKey owner{'O'}, account{'A'}, system{'A'}, user{'U'};
  const Json limits = {{"subs", -1}, {"data", -1}, {"payload", -1}, {"imports", -1}, {"exports", -1}, {"wildcards", true}, {"conn", -1}, {"leaf", -1}};
  const auto account_token = [&](const NatsKey& key, const char* name) {
    return owner.token({{"sub", key.public_key()}, {"name", name}, {"nats", {{"type", "account"}, {"version", 2}, {"limits", limits}}}});
  };
  const auto user_token = account.token({{"sub", user.public_key()}, {"name", "holder-alder"},
      {"nats", {{"type", "user"}, {"version", 2}, {"subs", -1}, {"data", -1}, {"payload", -1}, {"pub", {{"allow", {"mesh.a"}}}}, {"sub", {{"allow", {"_INBOX.holder-alder.>"}}}}}}});
  NatsServer server{"operator: " + owner.token({{"sub", owner.public_key()}, {"name", "mesh"}, {"nats", {{"type", "operator"}, {"version", 2}}}}) +
                    "\nsystem_account: " + system.public_key() + "\nresolver: MEMORY\nresolver_preload: { " + account.public_key() + ": " + account_token(account, "mesh") +
                    ", " + system.public_key() + ": " + account_token(system, "SYS") + " }"};
  auto config = reaching(server.url());
  config.creds = written(server.folder() / "holder.creds", "-----BEGIN NATS USER JWT-----\n" + user_token + "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" +
                                                                user.seed() + "\n------END USER NKEY SEED------\n");
  const auto bus = Bus::connect(config, no_faults(), 3s);
  if (!bus) FAIL(bus.error().detail);
  CHECK(may_say(**bus, "mesh.a"));
  CHECK_FALSE(may_say(**bus, "mesh.b"));

  // The token with another's seed.
  config.creds = written(server.folder() / "stolen.creds", "-----BEGIN NATS USER JWT-----\n" + user_token + "\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n" +
                                                                NatsKey{'U'}.seed() + "\n------END USER NKEY SEED------\n");
  CHECK_FALSE(logged_in(config, 1s).empty());
  config.creds = server.folder() / "missing.creds";
  CHECK_FALSE(logged_in(config, 1s).empty());
}

TEST_CASE("TLS is spoken to a server that asks for it, with its authority known and the machine's certificate shown", "[bus][nats]") {
  Certificates made;
  SECTION("the server's certificate is checked against the authority given") {
    NatsServer server{"", made.block(false)};
    auto config = reaching("tls" + server.url().substr(4));
    config.tls = BusConfig::Tls{.ca = made.folder / "ca.pem", .cert = {}, .key = {}};
    CHECK(logged_in(config) == "");
    Certificates another;
    config.tls->ca = another.folder / "ca.pem";
    CHECK_FALSE(logged_in(config, 1s).empty());
    config.tls->ca = made.folder / "none.pem";
    CHECK(logged_in(config, 1s).find("tls.ca") != std::string::npos);
    config.tls.reset();  // a tls:// address without a section is TLS too, with the machine's own authorities
    CHECK_FALSE(logged_in(config, 1s).empty());
  }
  SECTION("a server that wants a certificate of its client's gets it") {
    NatsServer server{"", made.block(true)};
    auto config = reaching(server.url());
    config.tls = BusConfig::Tls{.ca = made.folder / "ca.pem", .cert = {}, .key = {}};
    CHECK_FALSE(logged_in(config, 1s).empty());
    config.tls->cert = made.folder / "client.pem";
    config.tls->key = made.folder / "client.key";
    CHECK(logged_in(config) == "");
    config.tls->key = made.folder / "server.key";  // not the certificate's
    CHECK(logged_in(config, 1s).find("tls.cert") != std::string::npos);
  }
  SECTION("what is configured for TLS is never spoken in clear") {
    NatsServer plain;
    auto config = reaching(plain.url());
    config.tls = BusConfig::Tls{.ca = made.folder / "ca.pem", .cert = {}, .key = {}};
    CHECK_FALSE(logged_in(config, 1s).empty());
  }
}
