#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "holder/verbs/making.h"
#include "holder/verbs/page.h"
#include "holder/verbs/prune_plan.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

constexpr std::string_view kRule =
    "images without a tag that no container uses and nothing else is built on; build cache that is not in use; "
    "with containers, strays that ended. Never a volume, whether named, anonymous or unused, a held container, one that the "
    "boxes, Kubernetes, Nomad or a swarm keep, or a container that never ran. The same on every engine's version: things go one "
    "by one, by id";

struct PruneArgs {
  bool dry_run = true, containers = false;
  std::optional<PrunePlan> plan;

  static Result<PruneArgs> parse(const Json& params) {
    Fields fields{params, ""};
    PruneArgs args;
    args.dry_run = fields.boolean("dry_run", true);
    args.containers = fields.boolean("containers", false);
    const bool planned = fields.has("plan");
    const auto& plan = fields.object("plan");
    if (planned && args.dry_run) fields.refuse("plan", "is for a run: dry_run must be false beside it");
    TRY(fields.finish());
    if (planned) args.plan = TRY(PrunePlan::parse(plan));
    return args;
  }
};

Json discard_document(const policy::MayDiscard& may) {
  return {{"id", may.id()}, {"size_bytes", may.size_bytes()}};
}

/// What would go, and the plan that lets exactly that go. What does not fit an answer is not in the plan.
Json shown(const Prunable& prunable, std::size_t max_reply) {
  PrunePlan plan;
  Page images{max_reply / 6}, cache{max_reply / 6}, containers{max_reply / 6};
  std::int64_t bytes = 0;
  const auto show = [&](Page& page, const policy::MayDiscard& may, std::set<std::string>& ids) {
    if (!page.add(discard_document(may))) return;
    ids.insert(may.id());
    bytes += may.size_bytes();
  };
  for (const auto& may : prunable.images) show(images, may, plan.images);
  for (const auto& may : prunable.build_cache) show(cache, may, plan.build_cache);
  for (const auto& container : prunable.containers) {
    if (containers.add(container_reference(container))) plan.containers.insert(container.id);
  }
  const bool truncated = images.truncated() || cache.truncated() || containers.truncated();
  return {{"dry_run", true},
          {"rule", kRule},
          {"plan", plan.document()},
          {"images", std::move(images).answer("rows", prunable.images.size())["rows"]},
          {"build_cache", std::move(cache).answer("rows", prunable.build_cache.size())["rows"]},
          {"containers", std::move(containers).answer("rows", prunable.containers.size())["rows"]},
          {"bytes_at_most", bytes},
          {"truncated", truncated}};
}

/// One run: what went, what stayed and why. Ends at the first sign that the engine is gone.
class PruneRun {
 public:
  explicit PruneRun(Session& session) : session_(session) {}

  Result<Json> run(const Prunable& prunable) {
    for (const auto& container : prunable.containers) TRY(take_container(container));
    for (const auto& may : prunable.images) TRY(take_image(may));
    TRY(take_build_cache(prunable.build_cache));
    return Json{{"dry_run", false},
                {"removed", removed_.document()},
                {"kept", std::move(kept_)},
                {"bytes_at_most", bytes_}};
  }

 private:
  Status outcome(const Status& done, const char* kind, const std::string& id) {
    if (done || done.error().code == Errc::not_found) return {};
    const auto code = done.error().code;
    if (code == Errc::engine_unreachable || code == Errc::timeout) return told(done.error());
    keep(kind, id, done.error().detail);
    return done;
  }
  void keep(const char* kind, const std::string& id, const std::string& why) {
    if (kept_.size() < 100) kept_.push_back({{"kind", kind}, {"id", id}, {"why", why}});
  }
  /// What was done already must not be lost with the error.
  Error told(Error error) const {
    error.detail += "; until then " + std::to_string(removed_.images.size()) + " images, " +
                    std::to_string(removed_.build_cache.size()) + " build records and " +
                    std::to_string(removed_.containers.size()) + " containers were removed";
    return error;
  }
  static bool ends(const Status& status) {
    return !status &&
           (status.error().code == Errc::engine_unreachable || status.error().code == Errc::timeout);
  }

  Status take_container(const engine::Summary& seen) {
    const auto now = session_.engine.inspect(seen.id);
    const auto may = now ? policy::may_prune(now->summary) : Result<policy::MayDestroy>{now.error()};
    const auto done = may ? remove_container(session_, *may, false, false) : Status{may.error()};
    const auto said = outcome(done, "container", seen.id);
    if (ends(said)) return said;
    if (done) removed_.containers.insert(seen.id);
    return {};
  }
  /// Asked once more right before it goes: a tag may have come to it since it was looked for.
  Status take_image(const policy::MayDiscard& may) {
    const auto now = session_.engine.images();
    if (!now) return told(now.error());
    const auto row = std::ranges::find(*now, may.id(), &engine::ImageRow::id);
    if (row == now->end()) return {};
    const auto done = row->tags.empty() ? session_.engine.remove_image(may.id())
                                        : Status{fail(Errc::conflict, "it has a tag now: " + row->tags.front())};
    const auto said = outcome(done, "image", may.id());
    if (ends(said)) return said;
    if (!done) return {};
    removed_.images.insert(may.id());
    bytes_ += may.size_bytes();
    return {};
  }
  /// A record goes only after those that hang on to it: rounds, until one takes nothing.
  Status take_build_cache(const std::vector<policy::MayDiscard>& records) {
    for (bool again = true; again;) {
      again = false;
      for (const auto& may : records) {
        if (removed_.build_cache.contains(may.id())) continue;
        const auto freed = session_.engine.remove_build_record(may.id());
        if (!freed) return told(freed.error());
        if (*freed == 0 && may.size_bytes() > 0) continue;
        removed_.build_cache.insert(may.id());
        bytes_ += *freed;
        again |= *freed > 0;
      }
    }
    for (const auto& may : records) {
      if (!removed_.build_cache.contains(may.id())) keep("build_cache", may.id(), "the engine keeps it: an image or a build still uses it");
    }
    return {};
  }

  Session& session_;
  PrunePlan removed_;
  Json kept_ = Json::array();
  std::int64_t bytes_ = 0;
};

}  // namespace

Result<Json> prune(Session& session, const Json& params) {
  const auto args = TRY(PruneArgs::parse(params));
  const bool containers = args.plan ? !args.plan->containers.empty() : args.containers;
  auto prunable = TRY(Prunable::find(session, containers));
  if (args.dry_run) return shown(prunable, session.max_reply);
  if (args.plan) prunable.keep_only(*args.plan);
  return PruneRun{session}.run(prunable);
}

}  // namespace berth::holder::verbs
