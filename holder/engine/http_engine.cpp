#include "holder/engine/http_engine.h"

#include <chrono>
#include <thread>

#include "base/json.h"
#include "holder/client/spec_compare.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

namespace berth::holder::engine {
namespace {

constexpr int kAttempts = 4;
constexpr std::chrono::milliseconds kInspectPause{25};

}  // namespace

HttpEngine::HttpEngine(std::string socket, EngineInfo info, Seam& seam)
    : info_(std::move(info)), seam_(seam), transport_(std::move(socket)) {}

std::string HttpEngine::versioned(const std::string& path) const { return "/v" + info_.api_version + path; }

std::string HttpEngine::container(const std::string& id, std::string_view rest) const {
  return versioned("/containers/" + url_segment(id) + std::string{rest});
}

Result<Answer> HttpEngine::get(const std::string& path, std::string_view doing) {
  return accepted(transport_.read({.target = path}), doing);
}

Result<Answer> HttpEngine::act(std::string_view name, const Call& call, std::string_view target) {
  TRY(seam_.before(name, target));
  return transport_.change(call);
}

Status HttpEngine::ping() {
  TRY(get("/_ping", "ping"));
  return {};
}

Result<EngineFacts> HttpEngine::facts() {
  const auto answer = TRY(get(versioned("/info"), "info"));
  auto facts = TRY(parse_info(answer.body));
  const auto id = facts.engine.id;
  facts.engine = info_;
  facts.engine.id = id;
  return facts;
}

Result<std::vector<Summary>> HttpEngine::list() {
  const auto answer = TRY(get(versioned("/containers/json?all=1"), "list of containers"));
  auto list = TRY(parse_list(answer.body));
  TRY(complete(list));
  return list;
}

Result<Answer> HttpEngine::get_patiently(const std::string& path, std::string_view doing,
                                         std::chrono::milliseconds pause) {
  auto told = transport_.read({.target = path});
  for (int again = 1; told && told->status == 500 && again < kAttempts; ++again) {
    std::this_thread::sleep_for(pause);
    told = transport_.read({.target = path});
  }
  return accepted(told, doing);
}

Result<Answer> HttpEngine::tell_of(const std::string& id, const std::string& path) {
  return get_patiently(path, "inspect " + id, kInspectPause);
}

Result<Inspected> HttpEngine::inspect(const std::string& id) {
  return parse_inspect(TRY(tell_of(id, container(id, "/json"))).body);
}

Result<Json> HttpEngine::whole_of(const std::string& id) {
  return engine_json(TRY(tell_of(id, container(id, "/json"))).body, "inspect " + id);
}

namespace {

/// "container:<name>" by the id, as an engine may keep it; of a container that is not there it stays as it is.
Status name_by_id(Engine& engine, std::string& mode) {
  constexpr std::string_view kOf = "container:";
  if (!mode.starts_with(kOf)) return {};
  const auto found = engine.inspect(mode.substr(kOf.size()));
  if (found) mode = std::string{kOf} + found->summary.id;
  return found || found.error().code == Errc::not_found ? Status{} : Status{found.error()};
}

}  // namespace

Result<std::vector<std::string>> HttpEngine::differences(const std::string& id,
                                                         const client::ContainerSpec& spec) {
  auto document = TRY(whole_of(id));
  auto wanted = spec;
  for (auto [mode, key] : {std::pair{&wanted.network_mode, "NetworkMode"}, {&wanted.pid, "PidMode"}, {&wanted.ipc, "IpcMode"}}) {
    if (!mode->starts_with("container:")) continue;
    TRY(name_by_id(*this, *mode));
    if (!member(member(document, "HostConfig"), key).is_string()) continue;
    auto& kept = document["HostConfig"][key];
    auto text = kept.get<std::string>();
    TRY(name_by_id(*this, text));
    kept = text;
  }
  return client::spec_differences(wanted, document);
}

Result<Engine::Image> HttpEngine::image(const std::string& reference) {
  const auto path = TRY(url_image(reference));
  const auto answer = TRY(get(versioned("/images/" + path + "/json"), "image " + reference));
  return parse_image(answer.body);
}

Result<Engine::Network> HttpEngine::network(const std::string& name) {
  const auto answer = TRY(get(versioned("/networks/" + url_segment(name)), "network " + name));
  return parse_network(answer.body, name);
}

Result<Engine::Volume> HttpEngine::volume(const std::string& name) {
  const auto answer = TRY(get(versioned("/volumes/" + url_segment(name)), "volume " + name));
  return parse_volume(answer.body);
}

}  // namespace berth::holder::engine
