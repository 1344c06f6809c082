#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "holder/client/spec.h"
#include "holder/engine/inventory.h"

namespace berth::holder::engine {

enum class Kind { docker, podman };

struct EngineInfo {
  Kind kind = Kind::docker;
  std::string name;         // "Docker Engine", "Podman Engine"
  std::string version;      // "20.10.24+dfsg1"
  std::string api_version;  // the one in use: min(ours, the engine's)
  std::string id;           // changes when the engine's data does
};

/// The engine's /info as far as berth owns keys of it.
struct EngineFacts {
  EngineInfo engine;
  bool live_restore = false;
  std::vector<std::string>
      insecure_registries;  // as the engine says them: host[:port] and CIDRs, without the default 127.0.0.0/8
  std::string logging_driver;
  std::string storage_driver;
  std::string root_dir;
  std::string default_runtime;
  std::vector<std::string> registry_mirrors, labels;
  bool debug = false;
  std::int64_t containers_running = 0;
};

struct Port {
  std::string host_ip;
  int host_port = 0;
  int container_port = 0;
  std::string protocol;
};
struct Mount {
  std::string type, source, target;
  bool read_only = false;
};

/// A container as the contract's summary has it, the same from every engine.
struct Summary {
  std::string id, name;
  std::vector<std::string> names;
  std::string image, image_id, state, status, health;  // state and health: the contract's words
  int exit_code = 0;
  std::optional<std::int64_t> restarts;  // by the engine's policy; Docker's list does not say
  std::string created_at, started_at, finished_at;  // RFC 3339 or empty when never
  std::vector<Port> ports;
  std::vector<Mount> mounts;
  std::vector<std::string> networks;
  std::string compose_project;
  std::map<std::string, std::string> labels;
  std::string assignment;  // label mesh-host.id, empty for a stray
  bool host_network = false;
  bool mesh_held() const { return !assignment.empty(); }
};

/// One container whole: the summary, the main process, and the engine's own document with every
/// environment value taken out (names kept), wherever the engine repeats them.
struct Inspected {
  Summary summary;
  std::int64_t pid = 0;  // 0 when not running
  bool oom_killed = false;
  std::string error;                     // what the engine says of a start that failed
  std::vector<std::string> environment;  // names only
  std::shared_ptr<const Json> document;  // the engine's, environment values removed
};

struct LogLine {
  std::string at, stream, text;
};
struct Logs {
  std::vector<LogLine> lines;
  bool truncated = false;
};
struct LogQuery {
  std::int64_t tail = 200;
  std::string since, until;
};

struct Stats {
  std::string id, name;
  std::optional<double> cpu_percent;  // absent: the engine gave no reading
  std::optional<std::int64_t> memory_bytes, memory_limit_bytes, rx_bytes, tx_bytes, read_bytes, write_bytes,
      pids;
};

/// One thing the engine said happened, before it becomes one of the contract's event kinds.
struct RawEvent {
  Time at;
  std::string type, action;  // "container"/"start", "daemon"/"reload", …
  std::string id;            // the container's, or the daemon's
  std::map<std::string, std::string> attributes;
};

struct Created {
  std::string id;
  std::vector<std::string> warnings;
};

/// One engine on its API socket. Any thread may call; each call is one request with a 20 s bound beyond the
/// wait it asks for. Not answering is Errc::engine_unreachable naming socket and cause (missing, refused,
/// permission, closed); the engine's own refusal Errc::engine_refused with its status and message, 404
/// Errc::not_found, 409 (and 304 where the state is not what was asked) Errc::conflict; a passed bound
/// Errc::timeout. Every changing request asks the seam first ("engine.create" …), and is never sent twice.
class Engine : public Inventory {
 public:
  /// Negotiates the API version; `kind` auto-detected when not given.
  static Result<std::unique_ptr<Engine>> open(const std::string& socket, std::optional<Kind> kind,
                                              Seam& seam);
  ~Engine() override = default;

  virtual const EngineInfo& info() const = 0;
  virtual const std::string& socket() const = 0;
  virtual Status ping() = 0;
  virtual Result<EngineFacts> facts() = 0;
  virtual Result<std::vector<Summary>> list() = 0;  // all of them, restarts and times where list gives them
  virtual Result<Inspected> inspect(const std::string& id) = 0;
  virtual Result<Logs> logs(const std::string& id, const LogQuery& query) = 0;
  /// The same of a container that was inspected right now: spares asking for it again.
  virtual Result<Logs> logs_of(const Inspected& container, const LogQuery& query) {
    return logs(container.summary.id, query);
  }
  virtual Result<std::vector<Stats>> stats(const std::vector<std::string>& ids) = 0;
  /// `spec` is judged already. Named networks and volumes must exist. The image is on the machine.
  virtual Result<Created> create(const client::ContainerSpec& spec) = 0;
  virtual Status start(const std::string& id) = 0;  // started already is success
  virtual Status stop(const std::string& id, std::chrono::seconds grace) = 0;
  virtual Status restart(const std::string& id, std::chrono::seconds grace) = 0;
  virtual Status remove(const std::string& id, bool force, bool volumes) = 0;
  virtual Status kill(const std::string& id, std::string_view signal) = 0;
  /// Errc::conflict where another container has that name.
  virtual Status rename(const std::string& id, const std::string& name) = 0;
  /// Has the engine fetch an image from its registry: bounded by silence, 20 s without a byte.
  virtual Status pull(const std::string& reference) = 0;
  /// The members of the spec that this container does not have as they say; environment values are compared
  /// here and told nowhere.
  virtual Result<std::vector<std::string>> differences(const std::string& id,
                                                       const client::ContainerSpec& spec) = 0;
  /// Reads the stream from `since` until stopped or the engine closes it. `sink` must not wait. Told besides
  /// as type "stream": action "open" once the engine has taken the request, and "lost" for what came and
  /// could not be read.
  virtual Status events(std::optional<Time> since, std::stop_token stop,
                        const std::function<void(RawEvent)>& sink) = 0;
  /// A window that is over: events in [since, until].
  virtual Result<std::vector<RawEvent>> past_events(Time since, Time until) = 0;
  /// What judging a create needs of the image, the network and the volume it names; Errc::not_found when
  /// there is none on the machine.
  struct Image {
    std::string id;
    std::map<std::string, std::string> labels;
    std::vector<std::string> command, entrypoint, volumes;  // Config.Cmd, .Entrypoint, the keys of .Volumes
  };
  struct Network {
    std::string id, driver;
    std::map<std::string, std::string> labels;
  };
  struct Volume {
    std::string driver;
    std::map<std::string, std::string> options, labels;
  };
  virtual Result<Network> network(const std::string& name) = 0;
  virtual Result<Volume> volume(const std::string& name) = 0;
  virtual Result<Image> image(const std::string& reference) = 0;
  virtual Status ensure_network(const std::string& name,
                                const std::map<std::string, std::string>& labels) = 0;
  virtual Status ensure_volume(const std::string& name, const std::map<std::string, std::string>& labels) = 0;
};

}  // namespace berth::holder::engine
