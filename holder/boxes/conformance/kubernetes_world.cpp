#include "holder/boxes/conformance/kubernetes_world.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"
#include "holder/boxes/kubernetes/exec_stream.h"
#include "holder/boxes/kubernetes/kubernetes_runtime.h"
#include "holder/boxes/running.h"

namespace berth::holder::boxes::conformance {
namespace {

using kubernetes::part;
using kubernetes::text_part;

constexpr int kPodPort = 8080;
constexpr std::chrono::milliseconds kPodBound{180'000};

bool is_ready(const Json& pod) {
  const auto& conditions = part(pod, {"status", "conditions"});
  return conditions.is_array() && std::ranges::any_of(conditions, [](const Json& one) {
           return text_part(one, {"type"}) == "Ready" && text_part(one, {"status"}) == "True";
         });
}

/// Whether a command in a pod ends with 0.
Result<bool> succeeds(kubernetes::Api& api, const std::string& pod_path, const std::string& script) {
  const auto stream = TRY(kubernetes::open_exec(
      api, {.pod_path = pod_path, .argv = {"sh", "-c", script}, .terminal = false, .kill = [] {
              return Status{};
            }}));
  return TRY(run_to_end(*stream, {}, std::chrono::seconds{20})).exit_code == 0;
}

}  // namespace

KubernetesWorld::KubernetesWorld(const Options& options, kubernetes::Credentials admin, Seam& seam)
    : api_(std::move(admin), seam), run_(random_hex(4)) {
  config_.runtime = RuntimeKind::kubernetes;
  config_.name_space = options.name_space;
  config_.image = options.image;
  config_.data_volume = options.storage_class;
  config_.proxy = "berth-conformance-proxy-" + run_;
  config_.run_timeout = options.run_timeout;
  config_.storage_bytes = std::int64_t{64} << 20;
  config_.limits.memory_bytes = std::int64_t{128} << 20;
}

Result<std::unique_ptr<KubernetesWorld>> KubernetesWorld::open(const Options& options, Seam& seam) {
  auto admin = TRY(kubernetes::Credentials::from_kubeconfig(options.kubeconfig));
  std::unique_ptr<KubernetesWorld> world{new KubernetesWorld{options, std::move(admin), seam}};
  TRY(world->put_up(seam));
  return world;
}

KubernetesWorld::~KubernetesWorld() {
  for (const auto& name : made_)
    static_cast<void>(api_.remove(at("pods") + "/" + name, "", std::chrono::seconds{0}));
  static_cast<void>(api_.remove(at("services") + "/" + config_.proxy, "", std::chrono::seconds{0}));
}

/// A token of the account that docs/kubernetes makes; without one the kubeconfig's own rights are tried.
Result<kubernetes::Credentials> KubernetesWorld::account() {
  auto credentials = api_.credentials();
  const Json asked = {{"apiVersion", "authentication.k8s.io/v1"},
                      {"kind", "TokenRequest"},
                      {"spec", {{"expirationSeconds", 3600}}}};
  const auto made = api_.create(at("serviceaccounts/berth/token"), asked);
  if (!made && made.error().code == Errc::not_found) return credentials;
  credentials.token = text_part(TRY(made), {"status", "token"});
  credentials.cert_pem.clear();
  credentials.key_pem.clear();
  return credentials;
}

Status KubernetesWorld::put_up(Seam& seam) {
  lure_ = TRY(Lure::open());
  const Json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata", {{"name", config_.proxy}}},
      {"spec",
       {{"selector", {{"berth.conformance", config_.proxy}}},
        {"ports",
         Json::array({{{"protocol", "TCP"}, {"port", config_.proxy_port}, {"targetPort", kPodPort}}})}}}};
  TRY(api_.create(at("services"), service));
  lure_address_ = TRY(set_up(pod("berth-conformance-lure-" + run_, "exec httpd -f -p 8080 -h /www")));
  TRY(start_proxy());
  account_ = TRY(account());
  auto nobody = account_;
  nobody.server = "https://127.0.0.1:1";
  runtime_ = std::make_unique<kubernetes::KubernetesRuntime>(config_, account_, ledger_, seam);
  silent_ = std::make_unique<kubernetes::KubernetesRuntime>(config_, std::move(nobody), silent_ledger_, seam);
  TRY(runtime_->prepare());
  return try_enforcement();
}

Json KubernetesWorld::pod(const std::string& name, const std::string& script) const {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}, {"labels", {{"berth.conformance", name}}}}},
          {"spec",
           {{"restartPolicy", "Never"},
            {"automountServiceAccountToken", false},
            {"terminationGracePeriodSeconds", 0},
            {"containers", Json::array({{{"name", kubernetes::kContainer},
                                         {"image", config_.image},
                                         {"imagePullPolicy", "IfNotPresent"},
                                         {"command", Json::array({"sh", "-c", script})}}})}}}};
}

Result<std::string> KubernetesWorld::set_up(const Json& pod) {
  const auto name = text_part(pod, {"metadata", "name"});
  if (std::ranges::find(made_, name) == made_.end()) made_.push_back(name);
  TRY(api_.create(at("pods"), pod));
  const auto ready = TRY(api_.wait_for(at("pods"), name, kPodBound,
                                       [](const Json& now) -> Result<bool> { return is_ready(now); }));
  return text_part(ready, {"status", "podIP"});
}

Status KubernetesWorld::take_down(const std::string& name) {
  TRY(api_.remove(at("pods") + "/" + name, "", std::chrono::seconds{0}));
  TRY(api_.wait_for(at("pods"), name, kPodBound,
                    [](const Json& now) -> Result<bool> { return now.is_null(); }));
  return {};
}

/// A pod that a policy lets nobody reach and that may reach nobody: if it reaches the lure all the same, the
/// cluster's network plugin enforces no policy, and what a box reaches says nothing of berth.
Status KubernetesWorld::try_enforcement() {
  const auto name = "berth-conformance-shut-" + run_;
  const auto policies = "/apis/networking.k8s.io/v1/namespaces/" + config_.name_space + "/networkpolicies";
  const Json shut = {{"apiVersion", "networking.k8s.io/v1"},
                     {"kind", "NetworkPolicy"},
                     {"metadata", {{"name", name}}},
                     {"spec",
                      {{"podSelector", {{"matchLabels", {{"berth.conformance", name}}}}},
                       {"policyTypes", {"Ingress", "Egress"}}}}};
  TRY(api_.create(policies, shut));
  auto reached =
      set_up(pod(name, "exec sleep 600")).ok()
          ? succeeds(api_, at("pods") + "/" + name, "sleep 1; nc -w 3 " + lure_address_ + " 8080 </dev/null")
          : Result<bool>{fail(Errc::failed, "the pod " + name + " did not start")};
  TRY(api_.remove(policies + "/" + name, "", std::chrono::seconds{0}));
  TRY(take_down(name));
  if (TRY(reached))
    cannot_isolate_ =
        "this cluster enforces no NetworkPolicy: its network plugin lets a pod that may reach nobody reach "
        "another";
  return {};
}

/// One time the policy lets everything out, the next it is gone.
Status KubernetesWorld::breach(const BoxId& box) {
  const auto path =
      "/apis/networking.k8s.io/v1/namespaces/" + config_.name_space + "/networkpolicies/" + box_name(box);
  opened_ = !opened_;
  if (!opened_) return api_.remove(path, "", std::chrono::seconds{0});
  auto policy = TRY(api_.get(path));
  policy["spec"]["egress"].push_back(Json::object());
  TRY(api_.replace(path, policy));
  return {};
}

Status KubernetesWorld::impostor(const BoxId& box) {
  auto made = pod(box_name(box), "exec sleep 600");
  made["metadata"]["labels"] = {{kBoxLabel, box.text()}};
  TRY(set_up(made));
  return {};
}

Status KubernetesWorld::take_away(const BoxId& box) { return take_down(box_name(box)); }

Result<Object> KubernetesWorld::stray() {
  const auto name = "berth-conformance-stray-" + run_;
  if (std::ranges::find(made_, name) == made_.end()) TRY(set_up(pod(name, "exec sleep 600")));
  return Object{"pod", name, {}};
}

/// As it is seen from another pod: the nodes take a moment to know.
Status KubernetesWorld::proxy_becomes(bool answering) {
  const auto service = TRY(api_.get(at("services") + "/" + config_.proxy));
  const auto to = text_part(service, {"spec", "clusterIP"}) + " " + std::to_string(config_.proxy_port);
  const auto lure = at("pods") + "/berth-conformance-lure-" + run_;
  for (int i = 0; i < 60; ++i)
    if (TRY(succeeds(api_, lure, "nc -w 1 " + to + " </dev/null >/dev/null 2>&1")) == answering) return {};
  return fail(Errc::timeout, "the proxy's Service does not become what it should");
}

Status KubernetesWorld::stop_proxy() {
  TRY(take_down(config_.proxy));
  return proxy_becomes(false);
}

Status KubernetesWorld::start_proxy() {
  TRY(set_up(pod(config_.proxy, "exec httpd -f -p 8080 -h /www")));
  return proxy_becomes(true);
}

Result<std::vector<Target>> KubernetesWorld::targets() {
  std::vector<Target> targets = {{"another pod", lure_address_, kPodPort}};
  const auto lure = TRY(api_.get(at("pods") + "/berth-conformance-lure-" + run_));
  targets.push_back({"the node's kubelet", text_part(lure, {"status", "hostIP"}), 10250});
  if (const auto server = api_.get("/api/v1/namespaces/default/services/kubernetes"))
    targets.push_back({"the API server", text_part(*server, {"spec", "clusterIP"}), 443});
  for (const auto& address : Lure::addresses()) {
    if (targets.size() > 6) break;
    targets.push_back({"the machine", address, lure_->port()});
  }
  return targets;
}

}  // namespace berth::holder::boxes::conformance
