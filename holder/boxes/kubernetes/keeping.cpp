#include <algorithm>
#include <tuple>

#include "base/error.h"
#include "base/json.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"

// Inventory, logins, images, facts.
namespace berth::holder::boxes::kubernetes {
namespace {

int rank_of(const Object& object) {
  if (object.kind == "pod" || object.kind == "login") return 0;
  return object.kind == "policy" ? 1 : 2;
}

/// The image as the container runtime knows it, of the container "box" or the first one.
std::string image_id_in(const Json& pod) {
  const auto& statuses = part(pod, {"status", "containerStatuses"});
  return statuses.is_array() && !statuses.empty() ? text_part(statuses.front(), {"imageID"}) : std::string{};
}

/// Objects of one list that bear the label.
Status add_labelled(Api& api, const std::string& list, const char* label, const std::string& kind,
                    std::vector<Object>& found) {
  const auto answer = TRY(api.get(list + "?labelSelector=" + label));
  const auto& items = part(answer, {"items"});
  if (!items.is_array()) return fail(Errc::engine_refused, "the answer of " + list + " is no list");
  for (const auto& item : items) {
    const auto box = kind == "login" ? std::string{} : text_part(item, {"metadata", "labels", label});
    found.push_back({kind, text_part(item, {"metadata", "name"}), box});
  }
  return {};
}

}  // namespace

KubernetesRuntime::KubernetesRuntime(BoxesConfig config, Credentials credentials, Ledger& ledger, Seam& seam)
    : config_(std::move(config)), ledger_(ledger), api_(std::move(credentials), seam) {}

Result<std::unique_ptr<Runtime>> make_kubernetes(const BoxesConfig& config, Ledger& ledger, Seam& seam) {
  auto credentials = TRY(config.kubeconfig.empty() ? Credentials::in_cluster()
                                                   : Credentials::from_kubeconfig(config.kubeconfig));
  return std::unique_ptr<Runtime>{
      std::make_unique<KubernetesRuntime>(config, std::move(credentials), ledger, seam)};
}

Result<std::vector<Object>> KubernetesRuntime::inventory() {
  std::vector<Object> found;
  TRY(add_labelled(api_, pods(), kBoxLabel, "pod", found));
  TRY(add_labelled(api_, pods(), kLoginLabel, "login", found));
  TRY(add_labelled(api_, policies(), kBoxLabel, "policy", found));
  TRY(add_labelled(api_, claims(), kBoxLabel, "claim", found));
  std::ranges::sort(found, [](const Object& a, const Object& b) {
    return std::tuple{a.box, rank_of(a), a.name} < std::tuple{b.box, rank_of(b), b.name};
  });
  return found;
}

Status KubernetesRuntime::remove_object(const Object& object) {
  const bool pod = object.kind == "pod" || object.kind == "login";
  if (!pod && object.kind != "policy" && object.kind != "claim")
    return fail_field(Errc::bad_request, "kind", "\"" + object.kind + "\" is no kind of object here");
  const auto list = pod ? pods() : object.kind == "policy" ? policies() : claims();
  const auto sound = BoxTag::allows(object.name.substr(object.name.find('-') + 1)) && object.name.size() < 64;
  if (!sound)
    return fail_field(Errc::bad_request, "name", "\"" + object.name + "\" is no name of an object here");
  const auto found = TRY(find(list, object.name));
  if (found.is_null()) return {};
  const auto box = text_part(found, {"metadata", "labels", kBoxLabel});
  const auto login = text_part(found, {"metadata", "labels", kLoginLabel});
  if (box.empty() && login.empty())
    return fail(Errc::not_granted,
                "the " + object.kind + " " + object.name + " is neither a box's nor a login's");
  if (object.kind == "claim") return remove_storage(TRY(BoxId::parse(box)));
  const auto turn = turns_.take(box.empty() ? object.name : box);
  if (!pod)
    return api_.remove(list + "/" + object.name, text_part(found, {"metadata", "uid"}),
                       std::chrono::seconds{0});
  TRY(end_pod(found));
  return ledger_.forget({box.empty() ? Place::Kind::login : Place::Kind::box, box.empty() ? login : box});
}

Status KubernetesRuntime::start_login(const LoginId& login) {
  const auto turn = turns_.take(login_name(login));
  const auto place = Place::of(login);
  TRY(put_policy(login_policy(config_)));
  const auto pod = TRY(recorded(place));
  if (!pod.is_null() && pod_runs(pod)) return {};
  TRY(clear_pod_name(place, login_name(login), kLoginLabel));
  TRY(make_pod(place, login_pod(config_, login)));
  return {};
}

Result<std::string> KubernetesRuntime::image_of(const BoxId& box) {
  const auto pod = TRY(recorded(Place::of(box)));
  if (pod.is_null()) return fail(Errc::not_found, "box " + box.text() + " is not made");
  return image_id_in(pod);
}

// The kubelet pulls, by the policy that each pod names.
Status KubernetesRuntime::ensure_image() { return {}; }
Result<bool> KubernetesRuntime::refresh_image() { return false; }

Status KubernetesRuntime::prepare() {
  TRY(proxy());
  return put_policy(login_policy(config_));
}

Result<Facts> KubernetesRuntime::details(const BoxId& box) {
  Facts facts{{"runtime", "kubernetes"},
              {"server", api_.credentials().server},
              {"namespace", config_.name_space},
              {"storage", box_name(box)}};
  const auto gate = proxy();
  if (!gate && gate.error().code == Errc::engine_unreachable) return gate.error();
  if (gate) facts["proxy"] = config_.proxy + " " + gate->cluster_ip;
  const auto pod = TRY(recorded(Place::of(box)));
  const auto claim = TRY(find(claims(), box_name(box)));
  if (!claim.is_null()) facts["volume"] = text_part(claim, {"spec", "volumeName"});
  if (pod.is_null()) return facts;
  facts["container"] = text_part(pod, {"metadata", "uid"});
  facts["container_name"] = box_name(box);
  facts["state"] = text_part(pod, {"status", "phase"});
  facts["started_at"] = text_part(pod, {"status", "startTime"});
  facts["node"] = text_part(pod, {"spec", "nodeName"});
  facts["image_id"] = image_id_in(pod);
  return facts;
}

Health KubernetesRuntime::health() {
  Health health;
  const auto service = proxy();
  health.answering = service.ok() || (service.error().code != Errc::engine_unreachable &&
                                      service.error().code != Errc::timeout);
  if (!service) {
    health.cause = to_text(service.error());
    return health;
  }
  const auto ready = proxy_ready(*service);
  health.proxy_ready = ready && *ready;
  if (!ready) health.cause = to_text(ready.error());
  if (ready && !*ready) health.cause = "no pod of the egress proxy's Service " + config_.proxy + " is ready";
  return health;
}

Result<Facts> KubernetesRuntime::deployment_images() {
  const auto gate = TRY(proxy());
  const auto list = TRY(proxy_pods(gate));
  const auto& items = part(list, {"items"});
  Facts images{{"box", config_.image}};
  if (items.is_array() && !items.empty()) images["proxy"] = image_id_in(items.front());
  return images;
}

}  // namespace berth::holder::boxes::kubernetes
