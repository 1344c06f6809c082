#include <unistd.h>

#include <atomic>
#include <future>

#include "base/file.h"

#include "bus/permissions.h"
#include "tests/holder/serve/face_world.h"

namespace berth::test {
namespace {

std::string why_not(const Json& document) {
  const auto seat = SeatFile::parse(document, "alder");
  return seat ? "taken" : to_text(seat.error());
}

}  // namespace

TEST_CASE("a caller is its subject's last token, and what it may is its grants", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  world.engine.put("web", {{"mesh-host.id", "web"}});
  const auto alice = world.connected("alice");
  const auto op = world.connected("operator");
  CHECK(Json::parse(world.ask(*alice, kSubject + "read.list.alice")).at("containers").size() == 1);
  CHECK(world.ask(*alice, kSubject + "act.stop.alice", R"({"container":"web"})") == "not_granted 403");
  CHECK(Json::parse(world.ask(*op, kSubject + "act.stop.operator", R"({"container":"web"})")).at("now") ==
        "exited");
  CHECK(world.engine.acts() == std::vector<std::string>{"stop(10) web"});
  CHECK(world.bench.audit() == "bus alice stop web not_granted\nbus operator stop web ok\n");
}

TEST_CASE("errors carry their code in the headers and the body", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  const auto alice = world.connected("alice");
  CHECK(world.ask(*alice, kSubject + "read.inspect.alice", R"({"container":"gone"})") == "not_found 404");
  CHECK(world.ask(*alice, kSubject + "read.inspect.alice", "{") == "bad_request 400");
  CHECK(world.ask(*alice, kSubject + "read.inspect.alice", R"({"container":"a","container":"b"})") ==
        "bad_request 400");
  CHECK(world.ask(*alice, kSubject + "read.list.alice", "[]") == "bad_request 400");
  CHECK(world.ask(*alice, kSubject + "read.list.alice", R"({"nonesuch":1})") == "bad_request 400");
  world.engine.down = true;
  CHECK(world.ask(*alice, kSubject + "read.list.alice") == "engine_unreachable 503");
}

TEST_CASE("a request whose reply is not in the caller's own inbox is dropped and recorded", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  world.engine.put("web", {});
  const auto mallory = world.connected("mallory");
  std::promise<std::string> told;
  const auto spy = mallory->subscribe("mesh.birch.node-container-runtime.act.stop.operator",
                                      [&](bus::Message m) { told.set_value(m.data); });
  REQUIRE(spy.ok());
  for (const auto* reply :
       {"mesh.birch.node-container-runtime.act.stop.operator", "_INBOX.alice", "_INBOX.alice2.x", ""}) {
    REQUIRE(mallory
                ->publish({.subject = kSubject + "act.stop.operator",
                           .reply = reply,
                           .headers = {},
                           .data = R"({"container":"web"})"})
                .ok());
  }
  REQUIRE(mallory->flush(5s).ok());
  CHECK(told.get_future().wait_for(700ms) == std::future_status::timeout);
  CHECK(world.engine.acts().empty());
  CHECK(world.bench.audit() ==
        "bus operator stop - bad_request\nbus operator stop - bad_request\n"
        "bus operator stop - bad_request\nbus operator stop - bad_request\n");
}

TEST_CASE("an act verb on a read subject is not granted, whoever asks, and recorded", "[nats]") {
  FaceWorld world;
  auto document = seat_document();
  document["subjects"]["read"]["stop"] = kSubject + "read.stop.*";
  document["subjects"]["read"]["docker_stop"] = kSubject + "read.docker_stop.*";
  world.seat(document);
  world.engine.put("web", {});
  const auto op = world.connected("operator");
  CHECK(world.ask(*op, kSubject + "read.stop.operator", R"({"container":"web"})") == "not_granted 403");
  CHECK(world.ask(*op, kSubject + "read.docker_stop.operator", R"({"container":"web"})") ==
        "not_granted 403");
  CHECK(world.engine.acts().empty());
  CHECK(world.bench.audit() == "bus operator stop - not_granted\nbus operator docker_stop - not_granted\n");
}

TEST_CASE("a subject that was not issued has nobody behind it", "[nats]") {
  FaceWorld world;
  world.seat(seat_document({}));
  const auto op = world.connected("operator");
  CHECK(world.ask(*op, kSubject + "act.stop.operator") == "no reply: unreachable");
  CHECK(world.ask(*op, kSubject + "read.stop.operator") == "no reply: unreachable");
  CHECK(world.ask(*op, "mesh.birch.node-container-runtime.read.list.operator") == "no reply: unreachable");
}

TEST_CASE("a changed seat is in force at once: subjects come and go, grants too", "[nats]") {
  FaceWorld world;
  world.seat(seat_document({}));
  world.engine.put("web", {});
  const auto op = world.connected("operator");
  CHECK(world.ask(*op, kSubject + "act.stop.operator", R"({"container":"web"})") == "no reply: unreachable");
  auto document = seat_document({"stop"});
  world.seat(document);
  CHECK(Json::parse(world.ask(*op, kSubject + "act.stop.operator", R"({"container":"web"})")).at("now") ==
        "exited");
  document["grants"] = Json::array();
  world.seat(document);
  CHECK(world.ask(*op, kSubject + "act.stop.operator", R"({"container":"web"})") == "not_granted 403");
  document["held"] = false;
  world.seat(document);
  CHECK(world.ask(*op, kSubject + "act.stop.operator", R"({"container":"web"})") == "no reply: unreachable");
  CHECK(world.ask(*op, kSubject + "read.list.operator") == "no reply: unreachable");
}

TEST_CASE("a broker that restarts finds the holder again", "[nats]") {
  FaceWorld world;
  world.seat(seat_document());
  const auto alice = world.connected("alice");
  CHECK(world.ask(*alice, kSubject + "read.list.alice") == R"({"containers":[],"next":null})");
  world.server.kill();
  world.server.start();
  std::string answer;
  for (int i = 0; i < 60 && answer.find("containers") == std::string::npos; ++i) {
    ::usleep(250'000);
    answer = world.ask(*alice, kSubject + "read.list.alice");
  }
  CHECK(answer == R"({"containers":[],"next":null})");
}

TEST_CASE("NA02 no answer is larger than the broker carries: lists page and logs say truncated", "[nats]") {
  FaceWorld world{{}, "max_payload: 16384"};
  world.seat(seat_document());
  for (int i = 0; i < 100; ++i)
    world.engine.put("container-number-" + std::to_string(i), {{"label", std::string(200, 'x')}});
  const auto alice = world.connected("alice");
  std::string after;
  std::size_t seen = 0;
  int pages = 0;
  for (bool more = true; more && pages < 100; ++pages) {
    const auto page = Json::parse(world.ask(*alice, kSubject + "read.list.alice",
                                            after.empty() ? "{}" : Json{{"after", after}}.dump()));
    seen += page.at("containers").size();
    more = !page.at("next").is_null();
    if (more) after = page.at("next").get<std::string>();
  }
  CHECK(pages > 1);
  CHECK(seen == 100);
  std::vector<holder::engine::LogLine> lines(
      200, {"2026-01-02T03:04:05.000000000Z", "stdout", std::string(500, 'y')});
  world.engine.put_logs(lines);
  const auto logs =
      Json::parse(world.ask(*alice, kSubject + "read.logs.alice", R"({"container":"container-number-1"})"));
  CHECK(logs.at("truncated") == true);
  CHECK(!logs.at("lines").empty());
}

TEST_CASE("NA09 a call too many is told busy at once", "[nats]") {
  FaceWorld world{{.workers = 1, .waiting = 1, .most_body = 1 << 20}};
  world.seat(seat_document());
  world.engine.put("web", {});
  const auto op = world.connected("operator");
  std::atomic<int> busy = 0, answered = 0;
  const auto inbox = op->subscribe("_INBOX.operator.test", [&](bus::Message m) {
    (m.data.find("\"busy\"") != std::string::npos ? busy : answered)++;
  });
  REQUIRE(inbox.ok());
  REQUIRE(op->flush(5s).ok());
  // A burst far beyond one worker and one place to wait.
  for (int i = 0; i < 200; ++i) {
    REQUIRE(op->publish({.subject = kSubject + "act.start.operator",
                         .reply = "_INBOX.operator.test",
                         .headers = {},
                         .data = R"({"container":"web"})"})
                .ok());
  }
  for (int i = 0; i < 200 && busy + answered < 200; ++i) ::usleep(50'000);
  CHECK(busy + answered == 200);
  CHECK(busy > 0);
  CHECK(answered > 0);
}

TEST_CASE("a seat file that is wrong is refused naming the member") {
  CHECK(why_not(seat_document()) == "taken");
  auto document = seat_document();
  document["machine"] = "birch";
  CHECK(why_not(document).find("birch") != std::string::npos);
  document = seat_document();
  document["surprise"] = 1;
  CHECK(why_not(document).find("surprise") != std::string::npos);
  for (const auto* subject :
       {"mesh.>", "mesh.alder.node-container-runtime.read.*.*",
        "mesh.alder.node-container-runtime.read.list.alice", "mesh.alder.node-container-runtime.read.stop.*",
        "mesh.alder.node-container-runtime.both.list.*", "list.*", ".*", ""}) {
    CAPTURE(subject);
    document = seat_document();
    document["subjects"]["read"]["list"] = subject;
    CHECK(why_not(document).find("subjects.read.list") != std::string::npos);
  }
  document = seat_document();
  document["subjects"]["event"]["created"] = "mesh.>";
  CHECK(why_not(document).find("subjects.event.created") != std::string::npos);
  document = seat_document();
  document["grants"] = {{{"caller", "Not A Caller"}, {"verbs", {"stop"}}, {"class", "act"}}};
  CHECK(why_not(document).find("Not A Caller") != std::string::npos);
  document = seat_document();
  document.erase("module");
  CHECK(why_not(document).find("module") != std::string::npos);
}

TEST_CASE("the seat file is watched: a new one, a broken one, a removed one") {
  TempFolder folder;
  const auto path = folder / "seat.json";
  Guarded<std::vector<std::string>> told;
  const auto add = [&](std::string text) { told.with([&](auto& all) { all.push_back(std::move(text)); }); };
  const auto becomes = [&](std::vector<std::string> wanted) {
    for (int i = 0; i < 200 && told.with([](const auto& all) { return all; }) != wanted; ++i)
      ::usleep(25'000);
    return told.with([](const auto& all) { return all; }) == wanted;
  };
  const holder::serve::SeatWatch watch{
      path, "alder", [&](const SeatFile& seat) {
        add(seat.held ? "held by " + seat.module : "unheld");
        return true;
      },
      [&](const Error& error) {
        add(error.detail.find("seat.json") != std::string::npos ? "refused" : error.detail);
      }};
  CHECK(becomes({"unheld"}));
  ScriptedSeam seam;
  REQUIRE(write_file(path, seat_document().dump(), 0644, seam).ok());
  CHECK(becomes({"unheld", "held by docker"}));
  REQUIRE(write_file(path, "{", 0644, seam).ok());
  CHECK(becomes({"unheld", "held by docker", "refused"}));
  REQUIRE(write_file(path, seat_document().dump(), 0644, seam).ok());
  CHECK(becomes({"unheld", "held by docker", "refused", "held by docker"}));
  REQUIRE(remove_file(path, seam).ok());
  CHECK(becomes({"unheld", "held by docker", "refused", "held by docker", "unheld"}));
}

TEST_CASE("a seat that is in force in part alone is told again until it is whole", "[serve]") {
  TempFolder folder;
  ScriptedSeam seam;
  REQUIRE(write_file(folder / "seat.json", seat_document().dump(), 0644, seam).ok());
  std::atomic<int> told = 0;
  const holder::serve::SeatWatch watch{folder / "seat.json", "alder", [&](const SeatFile&) { return ++told == 2; },
                                       [](const Error&) {}};
  for (int i = 0; i < 1200 && told < 2; ++i) ::usleep(25'000);
  CHECK(told == 2);
  ::usleep(1'500'000);
  CHECK(told == 2);
}

}  // namespace berth::test
