#pragma once
#include "holder/boxes/kubernetes/kubernetes_runtime.h"
#include "tests/holder/boxes/api_fixture.h"

namespace berth::test {

/// The Kubernetes runtime, speaking to the tests' own API server.
class Cluster {
 public:
  Cluster()
      : runtime_(std::make_unique<holder::boxes::kubernetes::KubernetesRuntime>(
            config(), server_.credentials(), ledger_, seam_)) {
    auto api = server_.api();
    const Json port = {{"protocol", "TCP"}, {"port", 3128}, {"targetPort", 8080}};
    have(api.create(
        "/api/v1/namespaces/boxes/services",
        {{"apiVersion", "v1"},
         {"kind", "Service"},
         {"metadata", {{"name", "egress-proxy"}}},
         {"spec",
          {{"clusterIP", "10.0.0.9"}, {"selector", {{"app", "proxy"}}}, {"ports", Json::array({port})}}}}));
  }
  static holder::boxes::BoxesConfig config() {
    holder::boxes::BoxesConfig config;
    config.runtime = holder::boxes::RuntimeKind::kubernetes;
    config.image = "box:1";
    config.data_volume = "fast";
    return config;
  }
  holder::boxes::kubernetes::KubernetesRuntime& runtime() { return *runtime_; }
  ApiServer& server() { return server_; }
  ScriptedSeam& seam() { return seam_; }
  holder::boxes::MemoryLedger& ledger() { return ledger_; }
  holder::boxes::BoxSpec spec() const { return config().spec(); }
  void as(holder::boxes::kubernetes::Credentials credentials) {
    runtime_ = std::make_unique<holder::boxes::kubernetes::KubernetesRuntime>(
        config(), std::move(credentials), ledger_, seam_);
  }
  void start(const holder::boxes::BoxId& box) {
    have(runtime_->create_storage(box));
    have(runtime_->ensure(box, spec()));
    have(runtime_->start(box, spec()));
  }
  void end(const holder::boxes::BoxId& box) {
    have(runtime_->remove(box));
    have(runtime_->remove_storage(box));
    CHECK(have(runtime_->inventory()).empty());
    CHECK(server_.control()["violations"].empty());
  }

 private:
  ApiServer server_;
  ScriptedSeam seam_;
  holder::boxes::MemoryLedger ledger_;
  std::unique_ptr<holder::boxes::kubernetes::KubernetesRuntime> runtime_;
};

}  // namespace berth::test
