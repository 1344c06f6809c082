#include "bus/whole.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/parts.h"
#include "catch.h"
#include "tests/support/nats_server.h"

using namespace std::chrono_literals;
using berth::Errc;
using berth::Json;
using berth::no_faults;
using berth::Part;
using berth::test::NatsServer;
namespace bus = berth::bus;

namespace {

/// A broker that takes two kilobytes a message, and the stream of reports.
struct SmallBroker {
  NatsServer server{"", "max_payload: 2048"};
  std::unique_ptr<bus::Bus> speaker = connect(), reader = connect();

  SmallBroker() { REQUIRE(speaker->ensure_stream({"BERTH_MESH_REPORTS", {"mesh.*.host.report"}}).ok()); }
  std::unique_ptr<bus::Bus> connect() {
    bus::BusConfig config;
    config.url = server.url();
    return bus::Bus::connect(config, no_faults(), 10s).value();
  }
  void say(const std::string& machine, const std::string& id, const std::string& text) {
    REQUIRE(bus::publish_whole(*speaker, "mesh." + machine + ".host.report", id, text).ok());
  }
  void say_part(const Part& part, const std::string& id) {
    REQUIRE(speaker->publish_durable("mesh.birch.host.report", id, part.document()).ok());
  }
  std::vector<std::string> read(std::uint64_t from = 1, std::size_t at_once = 100) {
    std::vector<std::string> texts;
    for (;;) {
      const auto page = bus::read_wholes(*reader, "BERTH_MESH_REPORTS", ">", from, at_once, 0ms).value();
      if (page.empty()) return texts;
      from = page.back().sequence + 1;
      for (const auto& message : page) texts.push_back(message.message.data);
    }
  }
};

/// As a host's drain began it and was killed: the first parts alone, with the ids that it gives them.
void half_said(bus::Bus& to, const std::string& id, const std::string& text, std::size_t parts) {
  std::uint64_t first = 0;
  for (auto& part : berth::split(text, id, bus::room_in(to)).value()) {
    if (parts-- == 0) return;
    part.first = first;
    const auto end = part.at + part.text.size();
    const auto kept =
        to.publish_durable("mesh.birch.host.report",
                           id + "/" + std::to_string(part.at) + "-" + std::to_string(end), part.document());
    if (first == 0) first = kept.value();
  }
}

}  // namespace

TEST_CASE(
    "what is larger than the broker takes arrives whole through a stream, in its place among the others",
    "[nats][parts]") {
  SmallBroker broker;
  const std::string large = Json(std::string(9000, '"')).dump();
  broker.say("birch", "birch:0:1", "\"first\"");
  broker.say("birch", "birch:0:2", large);
  broker.say("birch", "birch:0:3", "\"last\"");
  CHECK(broker.read() == std::vector<std::string>{"\"first\"", large, "\"last\""});
  CHECK(broker.read(1, 2) ==
        std::vector<std::string>{"\"first\"", large, "\"last\""});  // pages that end among the parts
}

TEST_CASE("a sender killed among the parts sends them again, and the stream keeps each once",
          "[nats][parts]") {
  SmallBroker broker;
  const std::string large(9000, 'x');
  half_said(*broker.speaker, "birch:0:1", large, 3);
  CHECK(broker.read().empty());  // nothing before the last part
  broker.say("birch", "birch:0:1", large);
  broker.say("birch", "birch:0:1", large);
  CHECK(broker.read() == std::vector<std::string>{large});
  const auto kept = broker.reader->read_stream("BERTH_MESH_REPORTS", ">", 1, 100, 0ms).value();
  CHECK(kept.size() == berth::split(large, "birch:0:1", bus::room_in(*broker.speaker)).value().size());
}

TEST_CASE("parts of two machines that come in turns are not mixed up", "[nats][parts]") {
  SmallBroker broker;
  const std::string birch(9000, 'b'), alder(7000, 'a');
  half_said(*broker.speaker, "birch:0:1", birch, 2);
  broker.say("alder", "alder:0:1", alder);
  broker.say("birch", "birch:0:1", birch);
  CHECK(broker.read() == std::vector<std::string>{alder, birch});
}

TEST_CASE("a part that is lost in the stream is not a report, and what comes behind it is read",
          "[nats][parts]") {
  SmallBroker broker;
  auto parts = berth::split(std::string(9000, 'x'), "birch:0:1", 1500).value();
  parts.erase(parts.begin() + 1);
  for (auto& part : parts) {
    if (part.part > 1) part.first = 1;
    broker.say_part(part, std::to_string(part.part));
  }
  broker.say("birch", "birch:0:2", "\"next\"");
  const auto read = broker.read();
  REQUIRE(read.size() == 2);
  CHECK(berth::is_part(read[0]));
  CHECK(read[1] == "\"next\"");
}

TEST_CASE("a host that forgets a question's parts is sent them again, and in the end is unreachable",
          "[nats][parts]") {
  SmallBroker broker;
  int heard = 0, forgets_until = 0;
  std::size_t have = 0;
  const auto host = broker.reader->subscribe("mesh.birch.host.push", [&](const bus::Message& message) {
    const auto part = Part::parse(message.data).value();
    ++heard;
    have = part.at + part.text.size();
    const bool forgotten = heard <= forgets_until && part.part == 2;
    const Json reply = forgotten ? berth::to_problem(berth::fail_field(Errc::conflict, "part", "not here"))
                       : part.is_last() ? Json{{"accepted", true}}
                                        : Json{{"whole", part.whole}, {"have", have}};
    (void)broker.reader->publish({message.reply, "", {}, reply.dump()});
  });
  REQUIRE(host.ok());
  forgets_until = 2;
  const auto answer = bus::request_whole(*broker.speaker, "mesh.birch.host.push", std::string(5000, 'p'), 5s);
  CHECK(answer.value().data == "{\"accepted\":true}");
  CHECK(have == 5000);
  forgets_until = 1000;
  CHECK(
      bus::request_whole(*broker.speaker, "mesh.birch.host.push", std::string(5000, 'p'), 5s).error().code ==
      Errc::unreachable);
}
