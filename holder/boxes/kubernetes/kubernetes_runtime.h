#pragma once
#include "base/json_fwd.h"
#include "holder/boxes/kubernetes/api.h"
#include "holder/boxes/kubernetes/kubernetes.h"
#include "holder/boxes/kubernetes/objects.h"
#include "holder/boxes/turns.h"
#include "holder/boxes/unended.h"

namespace berth::holder::boxes::kubernetes {

/// Boxes on Kubernetes. A box is the pod `box-<id>`, made at each start and deleted at each stop, under the
/// NetworkPolicy of the same name, its storage the claim of that name, mounted three times by subPath. The
/// ledger holds the pod's uid. The images are the kubelet's to pull.
class KubernetesRuntime final : public Runtime {
 public:
  KubernetesRuntime(BoxesConfig config, Credentials credentials, Ledger& ledger, Seam& seam);

  Status create_storage(const BoxId& box) override;
  Result<std::vector<std::string>> missing_storage(const BoxId& box) override;
  Status remove_storage(const BoxId& box) override;
  Status ensure(const BoxId& box, const BoxSpec& spec) override;
  Status start(const BoxId& box, const BoxSpec& spec) override;
  Status stop(const BoxId& box) override;
  Status remove(const BoxId& box) override;
  State state(const BoxId& box) override;
  Status ensure_isolation(const BoxId& box) override;
  Result<bool> isolated(const BoxId& box) override;
  Result<std::string> proxy_url(const BoxId& box) override;
  Result<RunResult> run(const Place& place, const Command& command, const RunBounds& bounds) override;
  Result<std::unique_ptr<Stream>> spawn(const Place& place, const Command& command,
                                        std::optional<Terminal> terminal) override;
  Result<std::string> image_of(const BoxId& box) override;
  Status ensure_image() override;
  Result<bool> refresh_image() override;
  Result<std::vector<Object>> inventory() override;
  Status remove_object(const Object& object) override;
  Status start_login(const LoginId& login) override;
  Status prepare() override;
  Result<Facts> details(const BoxId& box) override;
  Health health() override;
  Result<Facts> deployment_images() override;

 private:
  std::string pods() const;
  std::string claims() const;
  std::string policies() const;

  /// The object, or null when there is none.
  Result<Json> find(const std::string& list, const std::string& name);
  /// The pod that is this place's by the ledger; null when there is none.
  Result<Json> recorded(const Place& place);
  Result<std::string> running_pod(const Place& place);
  Result<Json> make_pod(const Place& place, const Json& pod);
  /// Deletes it and waits until it is gone.
  Status end_pod(const Json& pod);
  Status clear_pod_name(const Place& place, const std::string& name, const char* label);
  Status ensure_held(const BoxId& box);
  Status have_claim(const BoxId& box);

  Result<ProxyService> proxy();
  Result<Json> proxy_pods(const ProxyService& proxy);
  Result<bool> proxy_ready(const ProxyService& proxy);
  Status put_policy(const Json& policy);
  Result<bool> opened_by_another(const BoxId& box);
  /// Kills what bears the mark; where the API server does not answer, later.
  Status kill(const Place& place, const std::string& mark);

  const BoxesConfig config_;
  Ledger& ledger_;
  Api api_;
  Turns turns_;
  Unended unended_;
};

std::string pod_name(const Place& place);
/// Runs, and nobody has asked for its end.
bool pod_runs(const Json& pod);

}  // namespace berth::holder::boxes::kubernetes
