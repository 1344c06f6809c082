#include "tests/holder/boxes/cluster_fixture.h"

// Processes through an API server that speaks the newer channel protocol, or an older one, or none. The
// command really runs, beside the server.
namespace berth::test {
namespace {

using namespace holder::boxes;
using std::chrono::milliseconds;

const BoxId kExecBox = BoxId::parse("x").value();

struct Told {
  std::string out, err;
  int exit_code = -1;
};
Told told_by(Stream& stream) {
  Told told;
  for (int i = 0; i < 60; ++i) {
    const auto piece = have(stream.read(milliseconds{500}));
    if (!piece) continue;
    if (piece->from == Stream::From::end) {
      told.exit_code = piece->exit_code;
      return told;
    }
    (piece->from == Stream::From::err ? told.err : told.out) += piece->bytes;
  }
  FAIL("the stream does not end; it said \"" << told.out << "\"");
  return told;
}

std::unique_ptr<Stream> spawned(Cluster& cluster, const std::string& script) {
  return have(cluster.runtime().spawn(Place::of(kExecBox), {{"sh", "-c", script}, "/", {}}, {}));
}

/// How many of them sleep there.
std::string sleeping(Cluster& cluster) {
  const auto* script = "awk '$2 == \"(sleep)\" && $3 != \"Z\"' /proc/[0-9]*/stat 2>/dev/null | wc -l";
  const Command count{{"sh", "-c", script}, "/", {}};
  return have(cluster.runtime().run(Place::of(kExecBox), count, {})).out;
}

}  // namespace

TEST_CASE("a process's input is ended where the API server can end it", "[boxes][kubernetes]") {
  Cluster cluster;  // of the protocols offered it takes the first: v5
  cluster.start(kExecBox);
  const auto stream = spawned(cluster, "cat; echo after >&2; exit 3");
  std::string bytes{"\0\x01zero and \xff high\n", 17};
  for (int i = 0; i < 4096; ++i) bytes += "and many more, so that they come in several frames\n";
  have(stream->write(bytes));
  have(stream->close_input());
  const auto told = told_by(*stream);
  CHECK(told.out == bytes);
  CHECK(told.err == "after\n");
  CHECK(told.exit_code == 3);
  const auto messages = cluster.server().control()["channels"];
  REQUIRE(messages.size() == 1);  // the one that is no input
  CHECK(messages[0] == Json({{"channel", 255}, {"text", std::string(1, '\0')}}));
  have(stream->kill());
  cluster.end(kExecBox);
}

TEST_CASE("an older API server's process keeps its input, and the caller is told that it cannot be ended",
          "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.server().control({{"channel", "v4.channel.k8s.io"}});
  cluster.start(kExecBox);
  const auto stream = spawned(cluster, "read first; read second; echo \"$first $second\"");
  have(stream->write("one\n"));
  const auto closed = stream->close_input();
  REQUIRE(!closed);
  CHECK(closed.error().code == Errc::conflict);
  CHECK(closed.error().detail.find("v4.channel.k8s.io") != std::string::npos);
  have(stream->write("two\n"));
  const auto told = told_by(*stream);
  CHECK(told.out == "one two\n");
  CHECK(told.exit_code == 0);
  CHECK(cluster.server().control()["channels"].empty());  // nothing was sent that it does not know
  cluster.end(kExecBox);
}

TEST_CASE("an API server that takes none of the protocols is refused, and what it started is dead",
          "[boxes][kubernetes]") {
  for (const std::string taken : {"", "v1.channel.k8s.io"}) {
    CAPTURE(taken);
    Cluster cluster;
    cluster.start(kExecBox);
    cluster.server().control({{"channel", taken}});
    const auto refused = cluster.runtime().spawn(Place::of(kExecBox), {{"cat"}, "/", {}}, {});
    REQUIRE(!refused);
    CHECK(refused.error().code == Errc::engine_refused);
    CHECK(refused.error().detail.find("of the protocols it was offered") != std::string::npos);
    cluster.server().control({{"channel", nullptr}});
    cluster.end(kExecBox);
  }
}

TEST_CASE("a command is killed at its limit through either protocol, with all that it started",
          "[boxes][kubernetes]") {
  for (const std::string spoken : {"v5.channel.k8s.io", "v4.channel.k8s.io"}) {
    CAPTURE(spoken);
    Cluster cluster;
    cluster.server().control({{"channel", spoken}});
    cluster.start(kExecBox);
    const auto place = Place::of(kExecBox);
    auto& runtime = cluster.runtime();
    const auto began = have(runtime.run(place, {{"sh", "-c", "sleep 7702 & echo begun; wait"}, "/", {}},
                                        {.limit = milliseconds{1500}}));
    CHECK(began.timed_out);
    CHECK(began.out == "begun\n");
    CHECK(sleeping(cluster) == "0\n");
    const auto stream = spawned(cluster, "setsid sleep 7702 & echo up; wait");
    CHECK(have(stream->read(std::chrono::seconds{20}))->bytes == "up\n");
    CHECK(sleeping(cluster) == "1\n");
    have(stream->kill());
    CHECK(sleeping(cluster) == "0\n");
    cluster.end(kExecBox);
  }
}

TEST_CASE("a process that could not be killed is killed before anything else is started in its place",
          "[boxes][kubernetes]") {
  Cluster cluster;
  cluster.start(kExecBox);
  const auto stream = spawned(cluster, "sleep 7705 & echo up; wait");
  CHECK(have(stream->read(std::chrono::seconds{20}))->bytes == "up\n");
  cluster.server().control({{"silent", 1}});
  const auto killed = stream->kill();
  REQUIRE(!killed);
  CHECK(killed.error().code == Errc::engine_unreachable);
  CHECK(sleeping(cluster) == "0\n");
  cluster.end(kExecBox);
}

}  // namespace berth::test
