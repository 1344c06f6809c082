#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

namespace berth::holder::engine {
namespace {

/// Of a list's inspects: one container that hangs must not make the whole list late.
constexpr std::chrono::seconds kInspectBound{5};

constexpr const char* kPodmanEventTypes = R"({"type":["container"]})";  // it knows no daemon events

class PodmanEngine final : public HttpEngine {
 public:
  using HttpEngine::HttpEngine;

 protected:
  std::string live_events_query(std::optional<Time> since) const override {
    return url_query({{"since", since ? engine_time(*since) : ""}, {"filters", kPodmanEventTypes}});
  }
  /// A window whose `until` is not after now comes back empty: ask without one, and cut.
  std::string past_events_query(Time since, Time) const override {
    return url_query({{"since", engine_time(since)}, {"stream", "false"}, {"filters", kPodmanEventTypes}});
  }

  /// Its Docker-like answer is what a `ps` inside the container prints, and needs one there; its own reads
  /// the machine's.
  std::string processes_path(const std::string& id) const override {
    return "/v4.0.0/libpod/containers/" + url_segment(id) + "/top" +
           url_query({{"stream", "false"}, {"ps_args", "pid,ppid,user,pcpu,etime,args"}});
  }
  bool has_build_cache() const override { return false; }

  /// Among what was dropped its Docker-like answer names only what its own default would have given; what the
  /// container has in truth stands in its own.
  Result<Json> whole_of(const std::string& id) override {
    auto whole = TRY(HttpEngine::whole_of(id));
    const auto path = "/v4.0.0/libpod/containers/" + url_segment(id) + "/json";
    const auto own = TRY(tell_of(id, path));
    whole["BoundingCaps"] = member(TRY(engine_json(own.body, "inspect " + id)), "BoundingCaps");
    return whole;
  }

 public:
  /// Its Docker-like door takes an image's untagged parents along, whatever it is told; its own batch door
  /// does not, and answers 200 with the errors inside.
  Status remove_image(const std::string& id) override {
    const auto target = "/v4.0.0/libpod/images/remove" + url_query({{"images", id}, {"noprune", "true"}});
    const auto answer = TRY(accepted(act("engine.image_remove", {.method = "DELETE", .target = target}, id),
                                     "remove image " + id));
    const auto document = TRY(engine_json(answer.body, "remove image " + id));
    const auto& errors = member(document, "Errors");
    if (!errors.is_array() || errors.empty()) return {};
    TRY(image(id));  // one that is gone is not_found
    return fail(Errc::conflict,
                "remove image " + id + ": " +
                    errors.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 512));
  }

 protected:
  /// Its list says nothing of health, restarts, times or exit: each container is inspected, side by side. One
  /// that does not answer, or that the engine itself cannot tell of any more, stays as the list has it.
  Status complete(std::vector<Summary>& list) override {
    std::vector<std::string> targets;
    for (const auto& row : list) targets.push_back(container(row.id, "/json"));
    const auto answers = transport().read_all(targets, kInspectBound);
    std::vector<Summary> whole;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (answers[i] && answers[i]->status == 404) continue;  // gone between list and inspect
      const bool untold = answers[i] ? answers[i]->status == 500 : answers[i].error().code == Errc::timeout;
      if (untold) {
        whole.push_back(list[i]);
        continue;
      }
      const auto inspected = TRY(parse_inspect(TRY(accepted(answers[i], "inspect " + list[i].id)).body));
      auto row = inspected.summary;
      row.status = list[i].status;
      row.names = list[i].names;
      whole.push_back(std::move(row));
    }
    list = std::move(whole);
    return {};
  }

  /// With a tail it reads backwards and hangs the pieces of a long line on to the line before it.
  bool tail_is_sound() const override { return false; }
  bool samples_twice() const override { return true; }

  Status make_stoppable(const std::string& id) override {
    if (TRY(inspect(id)).summary.state != "paused") return {};
    const Call call{.method = "POST", .target = container(id, "/unpause")};
    TRY(accepted(act("engine.unpause", call, id), "unpause " + id));
    return {};
  }

  /// It answers a stop that falls between two runs of a crash loop with success, and starts it again.
  bool may_revive(const Inspected& stopped) const override {
    const auto policy = text_member(member(member(*stopped.document, "HostConfig"), "RestartPolicy"), "Name");
    return !policy.empty() && policy != "no";
  }
};

}  // namespace

std::unique_ptr<Engine> make_podman(std::string socket, EngineInfo info, Seam& seam) {
  return std::make_unique<PodmanEngine>(std::move(socket), std::move(info), seam);
}

}  // namespace berth::holder::engine
