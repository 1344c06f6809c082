#include "holder/serve/socket_face.h"

#include <sys/stat.h>

#include <future>
#include <fstream>
#include <thread>

#include "holder/client/client.h"
#include "tests/holder/serve/raw_client.h"
#include "tests/holder/verbs/bench.h"

using namespace berth;
using namespace berth::test;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using holder::serve::SocketFace;

namespace {

/// A holder's socket over an engine in memory.
struct SocketWorld {
  explicit SocketWorld(SocketFace::Options options = {}) {
    options.socket = path();
    if (options.uids.empty()) options.uids = {::getuid()};
    auto opened = SocketFace::open(std::move(options), bench.dispatcher());
    if (!opened) FAIL(to_text(opened.error()));
    face = std::move(opened).value();
  }
  std::filesystem::path path() const { return bench.folder / "h.sock"; }
  holder::client::HolderClient client() const { return holder::client::HolderClient{path()}; }

  MemoryEngine engine;
  Bench bench{engine};
  std::unique_ptr<SocketFace> face;
};

const std::string kList = "/v1/verbs/list";

/// The first line that the socket answers to a process of that user.
std::string answer_to(uid_t uid, const std::filesystem::path& socket) {
  const auto user = std::to_string(uid);
  const auto ask = "setpriv --reuid=" + user + " --regid=" + user + " --clear-groups /usr/bin/python3 -c '"
                   "import socket; s = socket.socket(socket.AF_UNIX); s.connect(\"" + socket.native() + "\"); "
                   "s.sendall(b\"GET /healthz HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n\"); print(s.recv(64).split(b\"\\r\")[0].decode())' 2>&1";
  FILE* pipe = ::popen(ask.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF && c != '\n'; c = std::fgetc(pipe)) text += static_cast<char>(c);
  ::pclose(pipe);
  return text;
}

}  // namespace

TEST_CASE("the host's client and the socket speak the same", "[socket]") {
  SocketWorld served;
  served.engine.put("web", {{"mesh-host.id", "web"}});
  const auto list = served.client().call("list", {{"owner", "held"}});
  REQUIRE(list);
  CHECK((*list)["containers"][0]["assignment"] == "web");
  const auto seat = served.client().seat();
  REQUIRE(seat);
  CHECK((*seat)["machine"] == "alder");
  const auto gone = served.client().call("stop", {{"container", "nobody"}});
  CHECK(gone.error().code == Errc::not_found);
  CHECK(served.client().call("launch", Json::object()).error().code == Errc::unknown_verb);
  served.engine.down = true;
  CHECK(served.client().call("list", Json::object()).error().code == Errc::engine_unreachable);
  CHECK((*served.client().seat())["engine"]["answering"] == false);
}

TEST_CASE("the socket is its owner's alone, and gone with the holder", "[socket]") {
  std::filesystem::path path;
  {
    SocketWorld served;
    path = served.path();
    struct stat about {};
    REQUIRE(::stat(path.c_str(), &about) == 0);
    CHECK((about.st_mode & 0777) == 0600);
    CHECK(S_ISSOCK(about.st_mode));
  }
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a socket left behind is replaced, one that is served is not, nor a file that is no socket", "[socket]") {
  SocketWorld served;
  const auto again = SocketFace::open({.socket = served.path(), .uids = {0}}, served.bench.dispatcher());
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == Errc::conflict);
  CHECK_THAT(again.error().detail, Contains("another process listens"));
  CHECK(served.client().seat());

  const auto stale = served.bench.folder / "stale.sock";
  {
    OwnedFd fd{::socket(AF_UNIX, SOCK_STREAM, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    stale.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  }
  CHECK(SocketFace::open({.socket = stale, .uids = {0}}, served.bench.dispatcher()).ok());

  const auto file = served.bench.folder / "file";
  std::ofstream{file} << "precious";
  CHECK(SocketFace::open({.socket = file, .uids = {0}}, served.bench.dispatcher()).error().code == Errc::conflict);
  CHECK(std::filesystem::file_size(file) == 8);
}

TEST_CASE("a peer of another uid is told 403 before anything it sends is read", "[socket]") {
  SocketWorld served{{.socket = {}, .uids = {::getuid() + 12345}}};
  served.engine.put("web", {});
  const auto refused = served.client().call("remove", {{"container", "web"}, {"force", true}, {"padding", std::string(3 << 20, 'x')}});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == Errc::not_granted);
  RawClient silent{served.path()};
  CHECK_THAT(silent.hear(), StartsWith("HTTP/1.1 403") && Contains("not_granted"));
  CHECK(silent.closed());
  CHECK(served.engine.acts().empty());
}

TEST_CASE("an account that is named may speak, and one that is not is told so by the socket", "[socket]") {
  SocketWorld served{{.socket = {}, .uids = {0, 12345}}};
  std::filesystem::permissions(served.path().parent_path(), std::filesystem::perms{0755});
  CHECK(answer_to(12345, served.path()) == "HTTP/1.1 200 OK");
  CHECK_THAT(answer_to(12346, served.path()), StartsWith("HTTP/1.1 403"));
}

TEST_CASE("a body over the bound is refused unread, said in the header or not", "[socket]") {
  SocketWorld served;
  RawClient honest{served.path()};
  honest.say("POST /v1/verbs/list HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n");
  CHECK_THAT(honest.hear("too_large"), StartsWith("HTTP/1.1 413"));
  RawClient chunked{served.path()};
  chunked.say("POST /v1/verbs/list HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n" + std::string(0x100001, 'x') + "\r\n0\r\n\r\n");
  CHECK_THAT(chunked.hear("too_large"), StartsWith("HTTP/1.1 413"));
  RawClient header{served.path()};
  header.say("GET /v1/seat HTTP/1.1\r\nHost: x\r\nX: " + std::string(20000, 'x') + "\r\n\r\n");
  CHECK_THAT(header.hear("too_large"), StartsWith("HTTP/1.1 413"));
  RawClient fits{served.path()};
  fits.say(request("POST", kList, R"({"name": ")" + std::string((1 << 20) - 12, 'x') + "\"}"));
  CHECK_THAT(fits.hear("next"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("what is no request, or no JSON of ours, is a problem document", "[socket]") {
  SocketWorld served;
  const auto answer = [&](const std::string& text, const char* until) {
    RawClient client{served.path()};
    client.say(text);
    return client.hear(until);
  };
  CHECK_THAT(answer("HELO mail\r\n\r\n", "bad_request"), StartsWith("HTTP/1.1 400") && Contains("application/problem+json"));
  CHECK_THAT(answer("\x16\x03\x01\x02\r\n\r\n", "bad_request"), StartsWith("HTTP/1.1 400"));
  for (const auto* body : {"{", "[]", "{} x", "{\"a\":1,\"a\":2}", "\xEF\xBB\xBF{}", "{\"limit\": 1e3}", "{\"name\": \"\xff\"}",
                           "[[[[[[[[[[[[]]]]]]]]]]]]", "nul"}) {
    CAPTURE(body);
    CHECK_THAT(answer(request("POST", kList, body), "bad_request"), StartsWith("HTTP/1.1 400"));
  }
  CHECK_THAT(answer(request("POST", kList, ""), "next"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(answer(request("GET", kList), "bad_request"), StartsWith("HTTP/1.1 400"));
  CHECK_THAT(answer(request("POST", kList + "?owner=all"), "unknown_verb"), StartsWith("HTTP/1.1 404"));
  CHECK_THAT(answer(request("POST", "/v1/verbs/../seat"), "unknown_verb"), StartsWith("HTTP/1.1 404"));
  CHECK_THAT(answer(request("DELETE", "/v1/seat"), "not_found"), StartsWith("HTTP/1.1 404"));
  CHECK_THAT(answer(request("GET", "/healthz"), "up"), StartsWith("HTTP/1.1 200"));
  CHECK_THAT(answer(request("GET", "/metrics"), "bad_request"), Contains("berth_holder_calls_total{face=\"socket\",verb=\"list\",outcome=\"ok\"} 1"));
}

TEST_CASE("a connection is kept, and a client that waits to be asked is asked", "[socket]") {
  SocketWorld served;
  RawClient client{served.path()};
  for (int i = 0; i < 3; ++i) {
    client.say(request("GET", "/healthz"));
    CHECK_THAT(client.hear("up"), StartsWith("HTTP/1.1 200"));
  }
  client.say("POST /v1/verbs/list HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK_THAT(client.hear("\r\n\r\n"), StartsWith("HTTP/1.1 100"));
  client.say("{}");
  CHECK_THAT(client.hear("next"), StartsWith("HTTP/1.1 200"));
  client.say(request("GET", "/healthz", "", "Connection: close\r\n"));
  CHECK_THAT(client.hear(), StartsWith("HTTP/1.1 200"));
  CHECK(client.closed());
}

TEST_CASE("a client that is slow, or an engine that is, delays nobody else", "[socket]") {
  std::promise<void> go_on;
  auto waited = go_on.get_future().share();
  SocketWorld served;
  served.engine.put("web", {});
  served.engine.before_act = [waited](const std::string&) { waited.wait(); };
  RawClient dribbles{served.path()}, never_reads{served.path()};
  dribbles.say("POST /v1/verbs/li");
  never_reads.say(request("POST", "/v1/verbs/stop", R"({"container": "web"})"));
  const auto start = std::chrono::steady_clock::now();
  CHECK(served.client().call("list", Json::object(), 5s).ok());
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  CHECK(served.face->is_alive(5s));
  go_on.set_value();
  CHECK_THAT(never_reads.hear("was"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("a client that takes too long over a request is let go", "[socket]") {
  SocketWorld served{{.socket = {}, .uids = {}, .reading = 1s}};
  RawClient client{served.path()};
  client.say("POST /v1/verbs/list HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{");
  client.hear("", 5000);
  CHECK(client.closed());
}

TEST_CASE("more connections than the bound are told so, and the others are served", "[socket]") {
  SocketWorld served{{.socket = {}, .uids = {}, .connections = 2}};
  RawClient one{served.path()}, two{served.path()};
  one.say(request("GET", "/healthz"));
  two.say(request("GET", "/healthz"));
  one.hear("up");
  two.hear("up");
  RawClient third{served.path()};
  CHECK_THAT(third.hear("busy"), StartsWith("HTTP/1.1 503"));
  one.say(request("GET", "/healthz"));
  CHECK_THAT(one.hear("up"), StartsWith("HTTP/1.1 200"));
}

TEST_CASE("a call that runs when the holder is told to end is carried through and answered", "[socket]") {
  std::promise<void> begun, go_on;
  auto waited = go_on.get_future().share();
  SocketWorld served;
  served.engine.put("web", {});
  served.engine.before_act = [&, waited](const std::string&) {
    begun.set_value();
    waited.wait();
  };
  RawClient client{served.path()};
  client.say(request("POST", "/v1/verbs/stop", R"({"container": "web"})"));
  begun.get_future().wait();
  std::thread end{[&] { served.face.reset(); }};
  std::this_thread::sleep_for(50ms);
  go_on.set_value();
  CHECK_THAT(client.hear("was"), StartsWith("HTTP/1.1 200"));
  end.join();
  CHECK(served.bench.audit() == "socket host stop web ok\n");
}
