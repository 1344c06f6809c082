#pragma once
#include "base/seam.h"
#include "holder/boxes/config.h"
#include "holder/boxes/conformance/lure.h"
#include "holder/boxes/conformance/world.h"
#include "holder/boxes/ledger.h"
#include "holder/boxes/select.h"
#include "holder/engine/box_calls.h"

namespace berth::holder::boxes::conformance {

/// Docker or Podman: a data volume, a proxy and a lure of this run's own, gone at its end.
class EngineWorld final : public World {
 public:
  struct Options {
    std::string socket;
    std::optional<engine::Kind> kind;
    std::string image;  // empty: the practice image, made here
    std::chrono::seconds run_timeout{2};
  };
  static Result<std::unique_ptr<EngineWorld>> open(const Options& options, Seam& seam);
  ~EngineWorld() override;

  std::string name() const override { return calls_->podman() ? "podman" : "docker"; }
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
  Result<std::vector<Target>> targets() override;
  bool makes_before_start() const override { return true; }

  engine::BoxCalls& calls() { return *calls_; }
  const BoxesConfig& config() const { return config_; }

 private:
  EngineWorld(std::unique_ptr<engine::BoxCalls> calls, const Options& options, Seam& seam);
  Status have_image(const Options& options, Seam& seam);
  Status put_up();
  client::ContainerSpec server(const std::string& what, const std::string& script) const;
  Status set_going(const client::ContainerSpec& spec);
  std::string bridge() const { return calls_->podman() ? "podman" : "bridge"; }

  std::unique_ptr<engine::BoxCalls> calls_;
  std::string run_;
  BoxesConfig config_;
  MemoryLedger ledger_, silent_ledger_;
  std::unique_ptr<Runtime> runtime_, silent_;
  std::unique_ptr<Lure> lure_;
  std::vector<std::string> made_;
};

}  // namespace berth::holder::boxes::conformance
