#include "base/error.h"
#include "base/json.h"
#include "holder/verbs/dispatcher.h"

namespace berth::holder::verbs {
namespace {

Json engine_document(const std::string& socket, Result<std::shared_ptr<engine::Engine>> opened) {
  Json document = {{"kind", nullptr},  {"name", nullptr},    {"version", nullptr}, {"api_version", nullptr},
                   {"socket", socket}, {"answering", false}, {"cause", nullptr}};
  const auto answers = opened ? (*opened)->ping() : Status{opened.error()};
  if (!answers) document["cause"] = to_text(answers.error());
  document["answering"] = answers.ok();
  if (!opened) return document;
  const auto& info = (*opened)->info();
  document["kind"] = info.kind == engine::Kind::docker ? "docker" : "podman";
  document["name"] = info.name;
  document["version"] = info.version;
  document["api_version"] = info.api_version;
  return document;
}

}  // namespace

Json Dispatcher::seat_document() {
  const auto seat = seat_.with([](const auto& current) { return current; });
  auto opened = engines_.engine();
  auto engine = engine_document(facts_.engine_socket, opened);
  if (opened && engine["answering"] == false) engines_.lost(*opened);
  return {{"machine", facts_.machine},
          {"seat", "node-container-runtime"},
          {"module", seat->module ? Json(*seat->module) : Json()},
          {"held", seat->held},
          {"engine", std::move(engine)},
          {"verbs", seat_verbs()},
          {"tools", tools()},
          {"events", event_kinds()},
          {"version", facts_.version},
          {"store", recorder_.store_id()}};
}

}  // namespace berth::holder::verbs
