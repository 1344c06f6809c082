#pragma once
#include "base/json_fwd.h"
#include "base/seam.h"
#include "holder/boxes/config.h"
#include "holder/boxes/conformance/lure.h"
#include "holder/boxes/conformance/world.h"
#include "holder/boxes/kubernetes/api.h"
#include "holder/boxes/ledger.h"

namespace berth::holder::boxes::conformance {

/// A cluster: a proxy behind a Service and a lure of this run's own, gone at its end. What it sets up it does
/// as whoever the kubeconfig names; the runtime under trial speaks as the namespace's service account `berth`
/// where there is one, so that its rights are tried too.
class KubernetesWorld final : public World {
 public:
  struct Options {
    std::filesystem::path kubeconfig;
    std::string name_space = "boxes";
    std::string image = "berth-box-practice:1";
    std::string storage_class;  // empty: the cluster's default
    std::chrono::seconds run_timeout{2};
  };
  static Result<std::unique_ptr<KubernetesWorld>> open(const Options& options, Seam& seam);
  ~KubernetesWorld() override;

  std::string name() const override { return "kubernetes"; }
  Runtime& runtime() override { return *runtime_; }
  Runtime& silent() override { return *silent_; }
  BoxSpec spec() const override { return config_.spec(); }
  std::int64_t uid() const override { return config_.uid; }
  std::chrono::seconds run_timeout() const override { return config_.run_timeout; }
  Status breach(const BoxId& box) override;
  Status impostor(const BoxId& box) override;
  Status take_away(const BoxId& box) override;
  Result<Object> stray() override;
  Status stop_proxy() override;
  Status start_proxy() override;
  std::string cannot_isolate() const override { return cannot_isolate_; }
  Result<std::vector<Target>> targets() override;
  bool makes_before_start() const override { return false; }
  std::chrono::milliseconds begins_within() const override { return std::chrono::milliseconds{6000}; }

  const BoxesConfig& config() const { return config_; }
  /// Those of the account under trial.
  const kubernetes::Credentials& credentials() const { return account_; }

 private:
  KubernetesWorld(const Options& options, kubernetes::Credentials admin, Seam& seam);
  Status put_up(Seam& seam);
  Result<kubernetes::Credentials> account();  // of the runtime under trial
  Json pod(const std::string& name, const std::string& script) const;
  Result<std::string> set_up(const Json& pod);  // its address, once it is ready
  Status take_down(const std::string& name);
  Status proxy_becomes(bool answering);
  Status try_enforcement();
  std::string at(const std::string& list) const {
    return "/api/v1/namespaces/" + config_.name_space + "/" + list;
  }

  BoxesConfig config_;
  kubernetes::Api api_;
  kubernetes::Credentials account_;
  std::string run_, cannot_isolate_, lure_address_;
  bool opened_ = false;  // by the last breach
  MemoryLedger ledger_, silent_ledger_;
  std::unique_ptr<Runtime> runtime_, silent_;
  std::unique_ptr<Lure> lure_;
  std::vector<std::string> made_;
};

}  // namespace berth::holder::boxes::conformance
