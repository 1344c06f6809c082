#include "base/json.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"

// Pods: which is whose, making them, waiting for them.
namespace berth::holder::boxes::kubernetes {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartBound{300'000};  // a kubelet may have to pull the image first
constexpr milliseconds kEndBound{120'000};
constexpr std::chrono::seconds kPodGrace{5};

/// Why a pod that waits will wait for ever; empty when it may yet start.
std::string hopeless(const Json& pod) {
  for (const auto* list : {"initContainerStatuses", "containerStatuses"}) {
    const auto& statuses = part(pod, {"status", list});
    if (!statuses.is_array()) continue;
    for (const auto& status : statuses) {
      const auto reason = text_part(status, {"state", "waiting", "reason"});
      for (const auto* never : {"ErrImageNeverPull", "InvalidImageName", "CreateContainerConfigError",
                                "CreateContainerError", "RunContainerError"})
        if (reason == never) return reason + ": " + text_part(status, {"state", "waiting", "message"});
    }
  }
  return {};
}

}  // namespace

std::string pod_name(const Place& place) {
  return (place.kind == Place::Kind::box ? "box-" : "login-") + place.id;
}

bool pod_runs(const Json& pod) {
  return text_part(pod, {"status", "phase"}) == "Running" &&
         text_part(pod, {"metadata", "deletionTimestamp"}).empty();
}

std::string KubernetesRuntime::pods() const { return "/api/v1/namespaces/" + config_.name_space + "/pods"; }
std::string KubernetesRuntime::claims() const {
  return "/api/v1/namespaces/" + config_.name_space + "/persistentvolumeclaims";
}
std::string KubernetesRuntime::policies() const {
  return "/apis/networking.k8s.io/v1/namespaces/" + config_.name_space + "/networkpolicies";
}

Result<Json> KubernetesRuntime::find(const std::string& list, const std::string& name) {
  auto found = api_.get(list + "/" + name);
  if (!found && found.error().code == Errc::not_found) return Json{};
  return found;
}

Result<Json> KubernetesRuntime::recorded(const Place& place) {
  const auto uid = TRY(ledger_.recorded(place));
  auto pod = TRY(find(pods(), pod_name(place)));  // asked all the same: a server that is silent must show
  if (!uid || text_part(pod, {"metadata", "uid"}) != *uid) return Json{};
  return pod;
}

Result<std::string> KubernetesRuntime::running_pod(const Place& place) {
  const auto pod = TRY(recorded(place));
  if (pod.is_null()) return fail(Errc::not_found, pod_name(place) + ": no pod is recorded as its own");
  if (pod_runs(pod)) return pod_name(place);
  return fail(Errc::conflict,
              pod_name(place) + " does not run: it is " + text_part(pod, {"status", "phase"}));
}

/// Recorded before it runs: a process is started in nothing that is not.
Result<Json> KubernetesRuntime::make_pod(const Place& place, const Json& pod) {
  const auto made = TRY(api_.create(pods(), pod));
  const auto uid = text_part(made, {"metadata", "uid"});
  TRY(ledger_.record(place, uid));
  return api_.wait_for(pods(), pod_name(place), kStartBound, [&](const Json& now) -> Result<bool> {
    if (text_part(now, {"metadata", "uid"}) != uid)
      return fail(Errc::conflict, pod_name(place) + " was removed while it started");
    const auto phase = text_part(now, {"status", "phase"});
    if (phase == "Failed" || phase == "Succeeded")
      return fail(Errc::failed,
                  pod_name(place) + " ended as it started: " + text_part(now, {"status", "message"}));
    if (const auto why = hopeless(now); !why.empty())
      return fail(Errc::engine_refused, pod_name(place) + " cannot start: " + why);
    return phase == "Running";
  });
}

Status KubernetesRuntime::end_pod(const Json& pod) {
  const auto name = text_part(pod, {"metadata", "name"});
  const auto uid = text_part(pod, {"metadata", "uid"});
  const auto removed = api_.remove(pods() + "/" + name, uid, kPodGrace);
  if (!removed && removed.error().code != Errc::conflict)
    return removed;  // another has its name by now: it is gone
  const auto gone = api_.wait_for(pods(), name, kEndBound, [&](const Json& now) -> Result<bool> {
    return text_part(now, {"metadata", "uid"}) != uid;
  });
  return gone ? Status{} : Status{gone.error()};
}

Status KubernetesRuntime::clear_pod_name(const Place& place, const std::string& name, const char* label) {
  const auto pod = TRY(find(pods(), name));
  if (pod.is_null()) return ledger_.forget(place);
  if (text_part(pod, {"metadata", "labels", label}) != place.id)
    return fail(Errc::conflict,
                "the pod " + name + " is in the way: it bears no label " + label + "=" + place.id);
  TRY(end_pod(pod));
  return ledger_.forget(place);
}

}  // namespace berth::holder::boxes::kubernetes
