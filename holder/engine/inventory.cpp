#include "base/json.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// What is on the machine beside containers.
namespace berth::holder::engine {
namespace {

constexpr std::chrono::milliseconds kUsagePause{400};

}  // namespace

Result<std::vector<ImageRow>> HttpEngine::images() {
  return parse_images(TRY(get(versioned("/images/json?all=1"), "list of images")).body);
}

Result<std::vector<NetworkRow>> HttpEngine::networks() {
  return parse_networks(TRY(get(versioned("/networks"), "list of networks")).body);
}

Result<std::vector<VolumeRow>> HttpEngine::volumes() {
  return parse_volumes(TRY(get(versioned("/volumes"), "list of volumes")).body);
}

/// A second one beside it makes Docker answer an error, and the disk work twice; somebody else's may run too, and
/// Podman's fails over a container that is removed meanwhile.
Result<DiskUsage> HttpEngine::disk_usage() {
  const std::unique_lock one{disk_usage_, std::try_to_lock};
  if (!one) return fail(Errc::busy, "disk usage: the engine is counting already: ask again");
  return parse_disk_usage(TRY(get_patiently(versioned("/system/df"), "disk usage", kUsagePause)).body);
}

Result<std::vector<Process>> HttpEngine::processes(const std::string& id) {
  const auto answer = TRY(transport_.read({.target = processes_path(id)}));
  if (!answer.ok()) return explain(answer, id, "top", true);
  return parse_processes(answer.body);
}

Result<std::vector<Inspected>> HttpEngine::inspect_all(const std::vector<std::string>& ids) {
  std::vector<std::string> targets;
  for (const auto& id : ids) targets.push_back(container(id, "/json"));
  const auto answers = transport_.read_all(targets);
  std::vector<Inspected> all;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (answers[i] && answers[i]->status == 404) continue;
    const bool untold = answers[i] && answers[i]->status == 500;
    auto one = untold ? inspect(ids[i])
                      : parse_inspect(TRY(accepted(answers[i], "inspect " + ids[i])).body);
    if (!one && one.error().code == Errc::not_found) continue;
    if (!one && untold && one.error().code == Errc::engine_refused) {
      auto& dark = all.emplace_back();
      dark.summary.id = ids[i];
      dark.error = one.error().detail;
      continue;
    }
    all.push_back(TRY(std::move(one)));
  }
  return all;
}

Status HttpEngine::remove_image(const std::string& id) {
  const auto target = versioned("/images/" + TRY(url_image(id)) + "?noprune=1");
  TRY(accepted(act("engine.image_remove", {.method = "DELETE", .target = target}, id), "remove image " + id));
  return {};
}

/// The engine takes a pattern, and looks at records that others hang on to only once those are gone.
Result<std::int64_t> HttpEngine::remove_build_record(const std::string& id) {
  if (!has_build_cache()) return 0;
  const auto filters = Json{{"id", {"^" + id + "$"}}}.dump();
  const auto target = versioned("/build/prune" + url_query({{"all", "1"}, {"filters", filters}}));
  const auto answer =
      TRY(accepted(act("engine.build_prune", {.method = "POST", .target = target}, id), "build cache " + id));
  return number_member(TRY(engine_json(answer.body, "build cache")), "SpaceReclaimed");
}

}  // namespace berth::holder::engine
