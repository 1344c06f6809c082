#include <algorithm>
#include <string>

#include "base/fields.h"
#include "base/json.h"
#include "holder/client/client.h"
#include "host/path/path.h"

namespace berth::host::path {
namespace {

// More pages than any machine has containers: a holder that never ends its list is an error, not a loop.
constexpr int kPagesAtMost = 1000;
constexpr std::chrono::seconds kCallBound{25};
constexpr std::int64_t kGrace = 10;  // the engine's own, where a spec says nothing
constexpr std::chrono::seconds kPullBound{600};

std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::int64_t number_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

Seen seen_of(const Json& summary) {
  Seen seen;
  seen.id = text_at(summary, "id");
  seen.name = text_at(summary, "name");
  seen.image = text_at(summary, "image");
  seen.state = text_at(summary, "state");
  seen.assignment = text_at(summary, "assignment");
  seen.pid = number_at(summary, "pid");
  seen.started_at = text_at(summary, "started_at");
  seen.restarts = number_at(summary, "restarts");
  return seen;
}

class HolderPath final : public Path {
 public:
  HolderPath(const std::string& socket, Seam& seam) : client_(socket), seam_(seam) {}

  Kind kind() const override { return Kind::holder; }

  Result<std::vector<Seen>> list() override {
    std::vector<Seen> all;
    Json params = {{"owner", "all"}};
    for (int page = 0; page < kPagesAtMost; ++page) {
      const auto answer = TRY(ask("list", params, kCallBound));
      if (!answer.contains("containers") || !answer["containers"].is_array()) {
        return fail(Errc::failed, "the holder's list answered no containers member");
      }
      for (const auto& summary : answer["containers"]) all.push_back(seen_of(summary));
      const auto next = text_at(answer, "next");
      if (next.empty()) return all;
      params["after"] = next;
    }
    return fail(Errc::failed, "the holder's list does not end");
  }

  /// A summary names no process.
  Result<std::vector<Seen>> with_processes(std::vector<Seen> all) override {
    for (auto& seen : all) {
      if (seen.state != "running" || seen.pid != 0) continue;
      const auto whole = inspect(seen.id);
      if (!whole && whole.error().code == Errc::not_found) continue;
      if (!whole) return whole.error();
      seen.pid = number_at(*whole, "pid");
      if (const auto started = text_at(*whole, "started_at"); !started.empty()) seen.started_at = started;
    }
    return all;
  }

  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override {
    const auto answer = TRY(
        ask("inspect", {{"container", id}, {"against", holder::client::spec_document(spec)}}, kCallBound));
    std::vector<std::string> members;
    const auto differs = answer.find("differs");
    if (differs == answer.end() || !differs->is_array())
      return fail(Errc::failed, "the holder's inspect answered no differs member");
    for (const auto& member : *differs) {
      if (member.is_string()) members.push_back(member.get<std::string>());
    }
    return members;
  }

  Result<Json> inspect(const std::string& container) override {
    return ask("inspect", {{"container", container}}, kCallBound);
  }

  Result<std::string> create(const holder::client::ContainerSpec& spec) override {
    TRY(seam_.before("path.create", spec.name));
    // A replaced one is given its time to stop.
    const auto grace = std::chrono::seconds{spec.replaces.empty() ? 0 : spec.stop_grace_s.value_or(kGrace)};
    const auto answer = TRY(ask("create", holder::client::spec_document(spec),
                                (spec.pull_policy == "never" ? kCallBound : kPullBound) + 3 * grace));
    auto id = text_at(answer, "id");
    if (id.empty()) return fail(Errc::failed, "the holder's create answered no id for " + spec.name);
    return id;
  }

  Status start(const std::string& id) override { return act("start", {{"container", id}}, kCallBound); }
  Status stop(const std::string& id, std::chrono::seconds grace) override {
    return act("stop", {{"container", id}, {"timeout_s", grace.count()}}, kCallBound + grace);
  }
  Status remove(const std::string& id) override {
    return act("remove", {{"container", id}, {"force", true}}, kCallBound);
  }
  Status signal(const std::string& id, std::string_view signal) override {
    return act("signal", {{"container", id}, {"signal", signal}}, kCallBound);
  }

  Result<EngineView> engine() override {
    const auto answer = TRY(ask("daemon_config", Json::object(), kCallBound));
    const auto at = answer.find("engine");
    if (at == answer.end() || !at->is_object())
      return fail(Errc::failed, "the holder's daemon_config has no engine member");
    EngineView view;
    view.name = text_at(*at, "name");
    view.version = text_at(*at, "version");
    view.logging_driver = text_at(*at, "logging_driver");
    view.live_restore = at->value("live_restore", Json(false)) == Json(true);
    for (const auto& registry : at->value("insecure_registries", Json::array())) {
      if (registry.is_string()) view.insecure_registries.push_back(registry.get<std::string>());
    }
    std::ranges::sort(view.insecure_registries);
    return view;
  }

  /// Asked once: a path lives as long as one apply.
  Result<std::string> engine_socket() override {
    if (!stated_.empty()) return stated_;
    const auto seat = TRY(client_.seat());
    const auto engine = seat.find("engine");
    if (engine != seat.end() && engine->is_object()) stated_ = text_at(*engine, "socket");
    if (stated_.empty()) return fail(Errc::failed, "the holder states no engine socket");
    return stated_;
  }

  Result<bool> reloaded_since(Time since) override {
    const auto answer = TRY(ask("daemon_config", Json::object(), kCallBound));
    const auto last = answer.find("last_reload");
    if (last == answer.end() || !last->is_object()) return false;
    return TRY(parse_rfc3339(text_at(*last, "at"))) >= since;
  }

 private:
  Result<Json> ask(std::string_view verb, const Json& params, std::chrono::milliseconds limit) {
    auto answer = TRY(client_.call(verb, params, limit));
    if (!answer.is_object())
      return fail(Errc::failed, "the holder answered " + std::string{verb} + " with no object");
    return answer;
  }

  Status act(std::string_view verb, const Json& params, std::chrono::milliseconds limit) {
    TRY(seam_.before("path." + std::string{verb}, params["container"].get<std::string>()));
    TRY(ask(verb, params, limit));
    return {};
  }

  holder::client::HolderClient client_;
  std::string stated_;  // the engine socket
  Seam& seam_;
};

}  // namespace

std::unique_ptr<Path> make_holder_path(const std::string& socket, Seam& seam) {
  return std::make_unique<HolderPath>(socket, seam);
}

}  // namespace berth::host::path
