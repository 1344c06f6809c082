#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "holder/client/spec.h"

namespace berth::host::path {

inline bool is_up(std::string_view state) {
  return state == "running" || state == "restarting" || state == "paused";
}

/// How the host reached the runtime for an apply; `none` when what the release may use did not answer.
enum class Kind { holder, cli, none };
std::string_view to_text(Kind kind);

/// A container as the host needs to know it.
struct Seen {
  std::string id, name, image, state;  // state: the contract's words
  std::string assignment;              // label mesh-host.id, empty for a stray
  std::int64_t pid = 0;                // 0 when not running
  std::string started_at;
  std::int64_t restarts = 0;
};

/// What the engine says of its own configuration.
struct EngineView {
  std::string name, version;
  bool live_restore = false;
  std::vector<std::string> insecure_registries;  // without the default 127.0.0.0/8 and ::1/128
  std::string logging_driver;
};

/// The one way to the runtime that this release and this moment allow. Made by `open_path`; every apply asks
/// at least `list`. One thread. Not answering is Errc::holder_silent or Errc::engine_unreachable.
class Path {
 public:
  virtual ~Path() = default;
  virtual Kind kind() const = 0;
  virtual Result<std::vector<Seen>> list() = 0;  // every container; process and start where they cost nothing
  /// The same with pid and started_at of what runs: what proves that nothing restarted. One that went
  /// meanwhile is left as it was.
  virtual Result<std::vector<Seen>> with_processes(std::vector<Seen> all) { return all; }
  virtual Result<Json> inspect(const std::string& container) = 0;
  /// The members of the spec that this container does not have as they say; none: it may be taken over.
  virtual Result<std::vector<std::string>> differences(const std::string& id,
                                                       const holder::client::ContainerSpec& spec) = 0;
  /// Answers the id; started if spec.start. With `replaces` it takes that one's place.
  virtual Result<std::string> create(const holder::client::ContainerSpec& spec) = 0;
  virtual Status start(const std::string& id) = 0;
  virtual Status stop(const std::string& id, std::chrono::seconds grace) = 0;
  virtual Status remove(const std::string& id) = 0;
  virtual Status signal(const std::string& id, std::string_view signal) = 0;  // HUP, USR1, USR2
  virtual Result<EngineView> engine() = 0;
  /// The engine socket that the holder states; empty on a path with no holder.
  virtual Result<std::string> engine_socket() = 0;
  /// Whether the engine emitted its own `reload` event at or after `since`.
  virtual Result<bool> reloaded_since(Time since) = 0;
};

/// BERTH_CLI_PATH: the runtime's command line, in a library of its own (host/path/cli).
std::unique_ptr<Path> make_cli_path(Seam& seam);
/// BERTH_HOLDER_PATH: the holder's socket (host/path/holder).
std::unique_ptr<Path> make_holder_path(const std::string& socket, Seam& seam);

}  // namespace berth::host::path
