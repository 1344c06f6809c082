#pragma once
#include <unistd.h>

#include <memory>

#include "bus/subjects.h"
#include "holder/serve/bus_face.h"
#include "tests/holder/verbs/bench.h"
#include "tests/support/nats_server.h"

namespace berth::test {

using namespace std::chrono_literals;
using holder::serve::BusFace;
using holder::serve::SeatFile;

inline const std::string kSubject = "mesh.alder.node-container-runtime.";

inline Json seat_document(std::vector<std::string> act = {"stop", "start"}) {
  Json document = {{"fleet", "mesh"},
                   {"machine", "alder"},
                   {"seat", "node-container-runtime"},
                   {"module", "docker"},
                   {"held", true},
                   {"subjects",
                    {{"read", Json::object()},
                     {"act", Json::object()},
                     {"event", {{"created", kSubject + "event.created"}}}}},
                   {"stream", "BERTH_MESH_EVENTS"},
                   {"grants",
                    {{{"caller", "alice"}, {"verbs", {"*"}}, {"class", "read"}},
                     {{"caller", "operator"}, {"verbs", {"stop", "start"}}, {"class", "act"}},
                     {{"caller", "operator"}, {"verbs", {"*"}}, {"class", "read"}}}}};
  for (const auto* verb : {"list", "inspect", "logs"})
    document["subjects"]["read"][verb] = kSubject + "read." + verb + ".*";
  for (const auto& verb : act) document["subjects"]["act"][verb] = kSubject + "act." + verb + ".*";
  return document;
}

inline SeatFile seat_of(const Json& document) {
  auto seat = SeatFile::parse(document, "alder");
  if (!seat) FAIL(to_text(seat.error()));
  return std::move(seat).value();
}

/// A broker, a holder's face on it, and callers.
struct FaceWorld {
  NatsServer server;
  MemoryEngine engine;
  Bench bench{engine};
  std::unique_ptr<bus::Bus> holder;
  std::unique_ptr<BusFace> face;

  explicit FaceWorld(BusFace::Options options = {}, const std::string& more = "") : server{"", more} {
    server.start();
    holder = connected("holder-alder");
    face = std::make_unique<BusFace>(options, *holder, bench.dispatcher());
  }
  std::unique_ptr<bus::Bus> connected(const std::string& user) {
    bus::BusConfig config;
    config.url = server.url();
    config.name = user;
    config.inbox_prefix = bus::inbox_prefix(user);
    auto bus = bus::Bus::connect(config, bench.seam, 10s);
    if (!bus) FAIL(to_text(bus.error()));
    return std::move(bus).value();
  }
  void seat(const Json& document) {
    const auto seat = seat_of(document);
    bench.dispatcher().set_seat(seat.seat());
    face->set_seat(seat);
    REQUIRE(holder->flush(5s).ok());
  }
  /// The answer, or the problem's code with the headers' status.
  std::string ask(bus::Bus& caller, const std::string& subject, const std::string& params = "{}") {
    const auto reply = caller.request(subject, params, 3s);
    if (!reply) return "no reply: " + std::string{error_row(reply.error().code).name};
    const auto body = Json::parse(reply->data);
    const auto code = reply->headers.find("Nats-Service-Error-Code");
    if (code == reply->headers.end()) return body.contains("code") ? "problem without headers" : body.dump();
    return body.at("code").get<std::string>() + " " + code->second;
  }
};

}  // namespace berth::test
