// NATS service discovery, and many callers at once, on a real broker.
#include <atomic>
#include <thread>

#include "bus/subjects.h"
#include "tests/holder/serve/face_world.h"

namespace berth::test {
namespace {

/// Every answer that comes to one question within a moment.
std::vector<Json> answers_to(bus::Bus& asker, const std::string& subject) {
  Guarded<std::vector<Json>> all;
  const auto inbox = asker.subscribe("_INBOX.operator.discovery", [&](const bus::Message& m) {
    if (m.data.empty()) return;  // the server says that nobody listens
    all.with([&](auto& rows) { rows.push_back(Json::parse(m.data)); });
  });
  REQUIRE(inbox.ok());
  REQUIRE(asker.publish({.subject = subject, .reply = "_INBOX.operator.discovery", .headers = {}, .data = ""}).ok());
  for (int i = 0; i < 40 && all.with([](const auto& rows) { return rows.empty(); }); ++i) ::usleep(25'000);
  ::usleep(50'000);
  return all.with([](const auto& rows) { return rows; });
}

}  // namespace

TEST_CASE("ordinary NATS tools find the holder: PING, INFO and STATS, with name and id", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  const auto op = world.connected("operator");
  static_cast<void>(world.ask(*op, kSubject + "read.inspect.operator", R"({"container":"gone"})"));
  const auto ping = answers_to(*op, "$SRV.PING");
  REQUIRE(ping.size() == 1);
  CHECK(ping[0]["type"] == "io.nats.micro.v1.ping_response");
  CHECK(ping[0]["name"] == "node-container-runtime");
  CHECK(ping[0]["version"] == "9.9.9");
  CHECK(ping[0]["metadata"]["machine"] == "alder");
  const std::string id = ping[0]["id"];
  for (const auto* what : {"PING", "INFO", "STATS"}) {
    const auto base = std::string{"$SRV."} + what;
    for (const auto& subject : {base, base + ".node-container-runtime", base + ".node-container-runtime." + id}) {
      CAPTURE(subject);
      const auto answers = answers_to(*op, subject);
      REQUIRE(answers.size() == 1);
      CHECK(answers[0]["id"] == id);
    }
    CHECK(answers_to(*op, base + ".node-container-runtime.other").empty());
    CHECK(answers_to(*op, base + ".other").empty());
  }
  const auto info = answers_to(*op, "$SRV.INFO")[0];
  std::map<std::string, std::string> classes;
  for (const auto& endpoint : info["endpoints"]) classes[endpoint["name"]] = endpoint["metadata"]["class"];
  CHECK(classes == std::map<std::string, std::string>{{"list", "read"}, {"inspect", "read"}, {"logs", "read"}, {"stop", "act"}, {"start", "act"}});
  const auto stats = answers_to(*op, "$SRV.STATS")[0];
  for (const auto& endpoint : stats["endpoints"]) {
    const bool asked = endpoint["name"] == "inspect";
    CHECK(endpoint["num_requests"] == (asked ? 1 : 0));
    CHECK(endpoint["num_errors"] == (asked ? 1 : 0));
  }
}

TEST_CASE("discovery answers into an inbox and nowhere else, and not while the seat is unheld", "[nats]") {
  FaceWorld world;
  const auto op = world.connected("operator");
  CHECK(answers_to(*op, "$SRV.PING").empty());
  world.seat(seat_document());
  std::atomic<int> heard = 0;
  const auto spy = op->subscribe("mesh.>", [&](const bus::Message&) { ++heard; });
  REQUIRE(spy.ok());
  REQUIRE(op->publish({.subject = "$SRV.INFO", .reply = "mesh.birch.node-container-runtime.act.stop.operator", .headers = {}, .data = ""}).ok());
  REQUIRE(op->publish({.subject = "$SRV.INFO", .reply = "", .headers = {}, .data = ""}).ok());
  REQUIRE(op->flush(5s).ok());
  CHECK(answers_to(*op, "$SRV.PING").size() == 1);
  CHECK(heard == 0);
}

TEST_CASE("64 callers at once are all answered, while one container answers nobody", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  for (const auto* name : {"web", "stuck"}) world.engine.put(name, {});
  std::atomic<bool> over = false;
  world.engine.before_act = [&](const std::string& act) {
    while (act.rfind("stop", 0) == 0 && !over) ::usleep(10'000);
  };
  const auto op = world.connected("operator");
  std::atomic<int> stopped = 0, busy = 0;
  const auto inbox = op->subscribe("_INBOX.operator.stuck", [&](const bus::Message& m) {
    (m.data.find("\"busy\"") != std::string::npos ? busy : stopped)++;
  });
  REQUIRE(inbox.ok());
  for (int i = 0; i < 100; ++i) {
    REQUIRE(op->publish({.subject = kSubject + "act.stop.operator", .reply = "_INBOX.operator.stuck", .headers = {}, .data = R"({"container":"stuck"})"}).ok());
  }
  REQUIRE(op->flush(5s).ok());
  for (int i = 0; i < 3000 && busy < 52; ++i) ::usleep(10'000);  // each refusal is a durable row
  std::atomic<int> good = 0, bad = 0;
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::thread> callers;
  for (int i = 0; i < 64; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 5; ++n) {
        const auto reply = op->request(kSubject + "read.inspect.operator", R"({"container":"web"})", 15s);
        (reply.ok() && reply->data.find("\"name\":\"web\"") != std::string::npos ? good : bad)++;
      }
    });
  }
  for (auto& caller : callers) caller.join();
  CHECK(std::chrono::steady_clock::now() - began < 20s);
  CHECK(good == 320);
  CHECK(bad == 0);
  CHECK(busy >= 52);
  over = true;
  for (int i = 0; i < 500 && stopped + busy < 100; ++i) ::usleep(10'000);
  CHECK(stopped + busy == 100);
}

}  // namespace berth::test
