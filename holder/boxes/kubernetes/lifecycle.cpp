#include "base/json.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"

// Storage and lifecycle.
namespace berth::holder::boxes::kubernetes {
namespace {

constexpr std::chrono::milliseconds kClaimBound{120'000};

std::vector<std::string> all_parts() {
  std::vector<std::string> names;
  for (const auto& one : kParts) names.emplace_back(one.name);
  return names;
}

}  // namespace

Status KubernetesRuntime::create_storage(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto made = api_.create(claims(), claim_of(config_, box));
  if (made) return {};
  if (made.error().code != Errc::conflict) return made.error();
  const auto claim = TRY(find(claims(), box_name(box)));  // there already, or just going
  if (text_part(claim, {"metadata", "deletionTimestamp"}).empty()) return {};
  TRY(api_.wait_for(claims(), box_name(box), kClaimBound,
                    [](const Json& now) -> Result<bool> { return now.is_null(); }));
  return api_.create(claims(), claim_of(config_, box)).ok() ? Status{} : Status{made.error()};
}

/// The parts are folders of one claim, made by the pod: they are there when the claim is.
Result<std::vector<std::string>> KubernetesRuntime::missing_storage(const BoxId& box) {
  const auto claim = TRY(find(claims(), box_name(box)));
  const bool there = !claim.is_null() && text_part(claim, {"metadata", "deletionTimestamp"}).empty();
  return there ? std::vector<std::string>{} : all_parts();
}

/// A claim in use is not removed before its pod is gone, however often it is asked for: the pod is looked for
/// first.
Status KubernetesRuntime::remove_storage(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  if (const auto pod = TRY(find(pods(), box_name(box))); !pod.is_null())
    return fail(Errc::conflict, "box " + box.text() + " runs: its storage stays");
  const auto claim = TRY(find(claims(), box_name(box)));
  if (claim.is_null()) return {};
  if (text_part(claim, {"metadata", "labels", kBoxLabel}) != box.text())
    return fail(Errc::not_granted, "the claim " + box_name(box) + " is no box's");
  TRY(api_.remove(claims() + "/" + box_name(box), text_part(claim, {"metadata", "uid"}),
                  std::chrono::seconds{0}));
  const auto gone = api_.wait_for(claims(), box_name(box), kClaimBound,
                                  [](const Json& now) -> Result<bool> { return now.is_null(); });
  return gone ? Status{} : Status{gone.error()};
}

Status KubernetesRuntime::have_claim(const BoxId& box) {
  const auto missing = TRY(missing_storage(box));
  if (missing.empty()) return {};
  return fail(Errc::conflict, "box " + box.text() + " has no storage: home, work, cache missing");
}

Status KubernetesRuntime::ensure(const BoxId& box, const BoxSpec&) {
  const auto turn = turns_.take(box.text());
  return ensure_held(box);
}

/// The pod is made at the start alone: until then the isolation and the claim are all there is to ensure.
Status KubernetesRuntime::ensure_held(const BoxId& box) {
  TRY(put_policy(box_policy(config_, box, TRY(proxy()))));
  if (TRY(opened_by_another(box)))
    return fail(Errc::conflict, "another NetworkPolicy of the namespace " + config_.name_space +
                                    " lets the box " + box.text() +
                                    " reach more: it is not berth's to remove");
  return have_claim(box);
}

Status KubernetesRuntime::start(const BoxId& box, const BoxSpec& spec) {
  const auto turn = turns_.take(box.text());
  TRY(ensure_held(box));
  const auto place = Place::of(box);
  const auto pod = TRY(recorded(place));
  if (!pod.is_null() && pod_runs(pod)) return {};
  TRY(clear_pod_name(place, box_name(box), kBoxLabel));
  TRY(make_pod(place, box_pod(config_, box, spec)));
  return {};
}

Status KubernetesRuntime::stop(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto pod = TRY(recorded(Place::of(box)));
  if (!pod.is_null()) TRY(end_pod(pod));
  return ledger_.forget(Place::of(box));
}

Status KubernetesRuntime::remove(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  TRY(clear_pod_name(Place::of(box), box_name(box), kBoxLabel));
  const auto policy = TRY(find(policies(), box_name(box)));
  if (policy.is_null()) return {};
  if (text_part(policy, {"metadata", "labels", kBoxLabel}) != box.text())
    return fail(Errc::conflict, "the policy " + box_name(box) + " is no box's");
  return api_.remove(policies() + "/" + box_name(box), text_part(policy, {"metadata", "uid"}),
                     std::chrono::seconds{0});
}

/// One that is on its way up or down counts as running: nothing may be done to it on the strength of this.
State KubernetesRuntime::state(const BoxId& box) {
  const auto pod = recorded(Place::of(box));
  if (!pod) return State::unknown;
  const auto phase = text_part(*pod, {"status", "phase"});
  if (phase == "Unknown") return State::unknown;  // its node does not answer
  return phase == "Running" || phase == "Pending" ? State::running : State::stopped;
}

}  // namespace berth::holder::boxes::kubernetes
