#pragma once
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "holder/engine/engine.h"
#include "holder/engine/raw_stream.h"
#include "holder/engine/transport.h"

namespace berth::holder::engine {

/// A process to run in a container.
struct ExecSpec {
  std::vector<std::string> argv;
  std::string user, dir;
  std::map<std::string, std::string> environment;
  bool terminal = false;
};
struct ExecState {
  bool running = false;
  int exit_code = 0;
};
/// A network and who is on it: addresses by container id. `gateway`: one of its subnets names one.
struct NetworkFacts {
  std::string id, name;
  bool internal = false, gateway = false;
  std::map<std::string, std::string> options, labels, members;
};

/// What a runtime of boxes asks of an engine beyond `Engine`: processes in containers, networks that lead
/// nowhere, pulls. Bounds, errors and the seam as of `Engine`. Any thread.
class BoxCalls {
 public:
  static Result<std::unique_ptr<BoxCalls>> open(const std::string& socket, std::optional<Kind> kind,
                                                Seam& seam);
  BoxCalls(std::unique_ptr<Engine> engine, Seam& seam);

  Engine& engine() { return *engine_; }
  bool podman() const { return engine_->info().kind == Kind::podman; }

  Result<std::string> exec_create(const std::string& container, const ExecSpec& spec);
  Result<std::unique_ptr<RawStream>> exec_start(const std::string& exec, bool terminal);
  Result<ExecState> exec_state(const std::string& exec);
  Status exec_resize(const std::string& exec, int columns, int rows);

  /// A bridge without a way out and without an address of the machine on it.
  Status make_closed_network(const std::string& name, const std::map<std::string, std::string>& labels);
  Result<NetworkFacts> network_facts(const std::string& name);                // Errc::not_found
  Result<std::vector<NetworkFacts>> networks_with(const std::string& label);  // without their members
  Status connect(const std::string& network, const std::string& container,
                 const std::vector<std::string>& aliases);
  Status disconnect(const std::string& network, const std::string& container);
  Status remove_network(const std::string& name);  // gone already is success

  /// Bounded by silence: 20 s without a byte.
  Status pull(const std::string& reference);
  struct ImageRow {
    std::string id;
    std::vector<std::string> tags, digests;
  };
  Result<std::vector<ImageRow>> images();
  /// Errc::conflict while a container uses it.
  Status remove_image(const std::string& id);

  /// An image of one layer, from a tar of its files.
  Status import_image(const std::string& repository, const std::string& tag, const std::string& tar);

  Status remove_volume(const std::string& name);  // gone already is success
  /// Where a named volume lies on the machine.
  Result<std::string> volume_path(const std::string& name);

 private:
  std::string at(const std::string& path) const;
  Result<Json> get(const std::string& path, const std::string& doing);
  Result<Answer> act(const char* name, const Call& call, const std::string& target);

  std::unique_ptr<Engine> engine_;
  Seam& seam_;
  Transport transport_;
};

}  // namespace berth::holder::engine
