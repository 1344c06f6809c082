#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "catch.h"
#include "holder/boxes/verbs/store_ledger.h"
#include "holder/serve/box_face.h"
#include "tests/holder/serve/fake_runtime.h"
#include "tests/holder/serve/raw_client.h"
#include "tests/support/fakes.h"

// The boxes' socket: the box verbs, and a process on a WebSocket.
namespace berth::test {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using holder::boxes::verbs::BoxDispatcher;
using holder::serve::BoxFace;
using Local = asio::local::stream_protocol;

store::Store box_store(const TempFolder& folder, Seam& seam) {
  auto opened = store::Store::open(folder / "holder.db", store::Role::holder, system_clock(), seam);
  if (!opened) FAIL(to_text(opened.error()));
  return std::move(opened).value();
}

struct ServedBoxes {
  explicit ServedBoxes(std::vector<uid_t> uids = {::getuid()}, std::size_t connections = 8) {
    slot.set(runtime);
    auto opened =
        BoxFace::open({.socket = path(), .uids = std::move(uids), .connections = connections}, dispatcher);
    if (!opened) FAIL(to_text(opened.error()));
    face = std::move(opened).value();
  }
  std::filesystem::path path() const { return folder / "b.sock"; }
  std::string ask(const std::string& verb, const std::string& params) {
    RawClient client{path()};
    client.say(request("POST", "/v1/verbs/" + verb, params, "Connection: close\r\n"));
    return client.hear();
  }

  static holder::boxes::BoxesConfig config() {
    holder::boxes::BoxesConfig config;
    config.image = "box:1";
    return config;
  }

  TempFolder folder;
  ScriptedSeam seam;
  std::shared_ptr<FakeRuntime> runtime = std::make_shared<FakeRuntime>();
  holder::boxes::RuntimeSlot slot;
  holder::verbs::Recorder recorder{box_store(folder, seam), "alder"};
  BoxDispatcher dispatcher{config(), slot, recorder};
  std::unique_ptr<BoxFace> face;
};

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A client of box.spawn.
class Spawned {
 public:
  explicit Spawned(const std::filesystem::path& path,
                   const std::string& params = "%7B%22box%22:%22a%22,%22command%22:[%22cat%22]%7D")
      : socket_(io_) {
    socket_.next_layer().connect(Local::endpoint{path.native()});
    socket_.handshake("boxes", "/v1/verbs/box.spawn?params=" + params, error);
    socket_.binary(true);
  }
  void say(const std::string& text) { socket_.write(asio::buffer(text), error); }
  std::string hear() {
    beast::flat_buffer buffer;
    socket_.read(buffer, error);
    return beast::buffers_to_string(buffer.data());
  }
  void drop() { socket_.next_layer().close(); }
  beast::error_code error;

 private:
  asio::io_context io_;
  beast::websocket::stream<Local::socket> socket_;
};

/// Waits, bounded, until no process is left.
bool all_dead(const ServedBoxes& served) {
  for (int i = 0; i < 400 && *served.runtime->processes > 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  return *served.runtime->processes == 0;
}

}  // namespace

TEST_CASE("a box verb is called by its id alone, and the configuration makes the spec", "[boxes][socket]") {
  ServedBoxes served;
  const auto ensured = served.ask("box.ensure", R"({"box": "a"})");
  CHECK(holds(ensured, " 200 "));
  CHECK(holds(ensured, R"("state":"running")"));
  CHECK(served.runtime->given.image == "box:1");
  CHECK(holds(served.ask("box.run", R"({"box": "a", "command": ["ls"]})"), R"("exit_code":3)"));
  CHECK(holds(served.ask("box.missing_storage", R"({"box": "a"})"), R"("missing":["work"])"));
  CHECK(holds(served.ask("box.inventory", ""), R"({"box":null,"kind":"login","name":"login-x"})"));
}

TEST_CASE("the boxes' socket has the other's errors and bounds", "[boxes][socket]") {
  ServedBoxes served;
  CHECK(holds(served.ask("box.ensure", R"({"box": "a", "path": "/etc"})"), "\"field\":\"path\""));
  CHECK(holds(served.ask("box.ensure", R"({"box": "../etc"})"), " 400 "));
  CHECK(holds(served.ask("box.launch", "{}"), "unknown_verb"));
  CHECK(holds(served.ask("box.ensure", "{"), "bad_request"));
  CHECK(holds(served.ask("box.spawn", R"({"box": "a", "command": ["cat"]})"), "upgrade to a WebSocket"));
  CHECK(holds(served.ask("box.run", R"({"box": "a", "login": "b", "command": ["ls"]})"),
              "one of box and login"));
  CHECK(holds(served.ask("box.run", R"({"box": "a", "command": ["ls"], "timeout_s": 0})"), "timeout_s"));
  CHECK(holds(served.ask("box.remove_storage", R"({"box": "a"})"), " 409 "));
  CHECK(holds(served.ask("box.ensure", std::string(std::size_t{2} << 20, ' ')), " 413 "));
  served.runtime->down = true;
  CHECK(holds(served.ask("box.stop", R"({"box": "a"})"), " 503 "));
  CHECK(holds(served.ask("box.state", R"({"box": "a"})"), R"("state":"unknown")"));
  RawClient odd{served.path()};
  odd.say("no HTTP at all\r\n\r\n");
  CHECK(holds(odd.hear(), " 400 "));
  RawClient lost{served.path()};
  lost.say(request("GET", "/v1/verbs/box.state"));
  CHECK(holds(lost.hear("}"), "called by POST"));
}

TEST_CASE("another user id is turned away from the boxes' socket", "[boxes][socket]") {
  ServedBoxes served{{4242}};
  CHECK(holds(served.ask("box.health", ""), " 403 "));
}

TEST_CASE("one connection too many is told busy", "[boxes][socket]") {
  ServedBoxes served{{::getuid()}, 1};
  RawClient first{served.path()};
  first.say(request("GET", "/healthz"));
  CHECK(holds(first.hear("up"), " 200 "));
  CHECK(holds(served.ask("box.health", ""), " 503 "));
}

TEST_CASE("a spawned process is spoken with on a WebSocket until it ends", "[boxes][socket]") {
  ServedBoxes served;
  Spawned spawned{served.path()};
  REQUIRE(!spawned.error);
  spawned.say(std::string{"\0hello", 6});
  CHECK(spawned.hear() == "\x01hello");
  spawned.say("\x04{\"columns\": 120, \"rows\": 40}");
  CHECK(spawned.hear() ==
        "\x02"
        "120x40");
  spawned.say(std::string{"\0", 1});
  CHECK(spawned.hear() == "\x03{\"exit_code\":7}");
  spawned.hear();
  CHECK(spawned.error == beast::websocket::error::closed);
  CHECK(all_dead(served));
}

TEST_CASE("a process whose client is gone, or says nonsense, is ended", "[boxes][socket]") {
  ServedBoxes served;
  {
    Spawned spawned{served.path()};
    REQUIRE(!spawned.error);
    spawned.drop();
  }
  CHECK(all_dead(served));
  Spawned odd{served.path()};
  odd.say("\x09what");
  const auto end = odd.hear();
  CHECK(end.front() == '\x03');
  CHECK(holds(end, "bad_request"));
  CHECK(all_dead(served));
}

TEST_CASE("an upgrade that is refused answers as every other request", "[boxes][socket]") {
  ServedBoxes served;
  Spawned refused{served.path(), "%7B%22box%22:%22a%22%7D"};
  CHECK(refused.error == beast::websocket::error::upgrade_declined);
  const auto asked = [&](const std::string& params) {
    RawClient client{served.path()};
    client.say(
        "GET /v1/verbs/box.spawn?params=" + params +
        " HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
    return client.hear("}");
  };
  const auto none = asked("%7B%22box%22:%22a%22%7D");
  CHECK(holds(none, " 400 "));
  CHECK(holds(none, "\"field\":\"command\""));
  served.runtime->down = true;
  CHECK(holds(asked("%7B%22box%22:%22a%22,%22command%22:[%22cat%22]%7D"), " 503 "));
}

TEST_CASE("the end of the face cuts its connections and what runs on them", "[boxes][socket]") {
  ServedBoxes served;
  Spawned spawned{served.path()};
  RawClient running{served.path()};
  running.say(request("POST", "/v1/verbs/box.run", R"({"box": "a", "command": ["wait"]})"));
  std::this_thread::sleep_for(std::chrono::milliseconds{50});
  served.face.reset();
  CHECK(*served.runtime->processes == 0);
  CHECK(!std::filesystem::exists(served.path()));
}

TEST_CASE("which container is which box outlives the holder", "[boxes][ledger]") {
  using holder::boxes::Place;
  TempFolder folder;
  ScriptedSeam seam;
  const Place box{Place::Kind::box, "a"};
  const Place login{Place::Kind::login, "a"};
  {
    holder::boxes::verbs::StoreLedger ledger{box_store(folder, seam)};
    CHECK(!ledger.recorded(box).value());
    REQUIRE(ledger.record(box, "c1"));
    REQUIRE(ledger.record(box, "c2"));
    REQUIRE(ledger.record(login, "l1"));
  }
  holder::boxes::verbs::StoreLedger again{box_store(folder, seam)};
  CHECK(again.recorded(box).value() == "c2");
  CHECK(again.recorded(login).value() == "l1");
  REQUIRE(again.forget(box));
  CHECK(!again.recorded(box).value());
  CHECK(again.recorded(login).value() == "l1");
}

TEST_CASE("docs/box-verbs.md is what the table prints", "[boxes][table]") {
  const auto page = read_file(std::string{BERTH_SOURCE_DIR} + "/docs/box-verbs.md");
  REQUIRE(page);
  CHECK(*page == holder::boxes::verbs::box_verbs_page());
}

}  // namespace berth::test
