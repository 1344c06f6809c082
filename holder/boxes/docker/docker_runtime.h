#pragma once
#include <set>

#include "holder/boxes/docker/docker.h"
#include "holder/boxes/names.h"
#include "holder/boxes/turns.h"
#include "holder/boxes/unended.h"
#include "holder/engine/box_calls.h"

namespace berth::holder::boxes::docker {

inline constexpr const char* kKeeperLabel =
    "boxes.keeper";  // a short-lived container that works on the storage
inline constexpr const char* kAlias = "proxy";

inline std::string network_name(const BoxId& box) { return "bn-" + box.text(); }

struct Started;

/// Boxes on Docker Engine or Podman, through the holder's engine client alone. A box is the container
/// `box-<id>` on the internal network `bn-<id>`, which the proxy's container joins under the alias `proxy`;
/// its storage is three folders in the data volume, bind-mounted. The holder may not write there itself, so a
/// short-lived container of the box image, the keeper, does.
class DockerRuntime final : public Runtime {
 public:
  DockerRuntime(BoxesConfig config, EngineAt engine, Ledger& ledger, Seam& seam);

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
  using Calls = std::shared_ptr<engine::BoxCalls>;
  using Found = std::optional<engine::Inspected>;

  Result<Calls> calls();
  /// The container of that name, if there is one.
  Result<Found> named(engine::BoxCalls& calls, const std::string& name);
  /// The container that is this place's by the ledger.
  Result<Found> recorded(engine::BoxCalls& calls, const Place& place);
  Result<std::string> running_container(engine::BoxCalls& calls, const Place& place);
  Result<Started> place_to_start(const Place& place);

  /// Runs a script as root over the data volume at /boxes, and answers what it printed.
  Result<std::string> keep(const std::string& box, const std::string& script,
                           const std::vector<std::string>& arguments);
  Result<std::string> keeper_said(engine::BoxCalls& calls, const std::string& id);
  Result<std::string> data_path(engine::BoxCalls& calls);

  client::ContainerSpec box_container(const BoxId& box, const BoxSpec& spec,
                                      const std::string& data_path) const;
  client::ContainerSpec login_container(const LoginId& login) const;
  void confine(client::ContainerSpec& container, const BoxSpec& spec) const;
  Status ensure_held(const BoxId& box, const BoxSpec& spec);
  Status clear_name(engine::BoxCalls& calls, const BoxId& box);
  Status make_container(engine::BoxCalls& calls, const BoxId& box, const BoxSpec& spec);
  Status have_storage(const BoxId& box);

  Status isolate(engine::BoxCalls& calls, const BoxId& box);
  Status have_network(engine::BoxCalls& calls, const BoxId& box);
  Status attach_proxy(engine::BoxCalls& calls, const BoxId& box);
  void make_agree(engine::BoxCalls& calls, const BoxId& box);
  Status fence(engine::BoxCalls& calls, const BoxId& box);
  Status drop_network(engine::BoxCalls& calls, const BoxId& box);
  Result<bool> closed(engine::BoxCalls& calls, const engine::NetworkFacts& network);
  Result<engine::Inspected> proxy(engine::BoxCalls& calls);

  Result<std::vector<Object>> folders();
  Status remove_container_object(engine::BoxCalls& calls, const Object& object);
  Status remove_keepers(engine::BoxCalls& calls, const std::string& box);
  Status remove_older_images(engine::BoxCalls& calls, const std::string& before, const std::string& now);

  const BoxesConfig config_;
  const EngineAt engine_;
  Ledger& ledger_;
  Seam& seam_;
  Turns turns_;
  Unended unended_;
  Guarded<Calls> calls_;
  Guarded<std::set<std::string>> keepers_;  // at work now, by name
};

/// Whether a process can be started in it.
bool runs(const engine::Inspected& container);
/// Whether the container is joined to the network, and to the one of that id, not to one that is gone.
bool joined(const engine::Inspected& container, const engine::NetworkFacts& network);
/// Its address there; empty when it has none.
std::string address_on(const engine::Inspected& container, const std::string& network);

}  // namespace berth::holder::boxes::docker
