#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace berth::holder::boxes {

/// A box is known by this alone. It becomes part of the names of containers, networks, pods, claims and
/// folders.
struct BoxTag {
  static constexpr std::string_view kWhat = "box";
  static constexpr std::string_view kRule =
      "lower-case letters, digits and '-', a letter or digit first and last, at most 40";
  static bool allows(std::string_view text);
};
using BoxId = Name<BoxTag>;
struct LoginTag : BoxTag {
  static constexpr std::string_view kWhat = "login";
};
using LoginId = Name<LoginTag>;

/// What a box is made of. The holder's configuration composes it; a caller gives an id and never a path.
struct BoxSpec {
  std::string image;
  std::map<std::string, std::string> environment;
  std::int64_t memory_bytes = std::int64_t{1} << 30;
  std::int64_t nano_cpus = 1'000'000'000;
  std::int64_t pids = 512;
  bool operator==(const BoxSpec&) const = default;
};

/// `unknown`: the runtime did not answer. Callers treat it as running, so that a failed read stops nothing.
enum class State { running, stopped, unknown };

/// Where a process runs: in a box, or in the container of a login.
struct Place {
  enum class Kind { box, login } kind;
  std::string id;
  static Place of(const BoxId& box) { return {Kind::box, box.text()}; }
  static Place of(const LoginId& login) { return {Kind::login, login.text()}; }
  auto operator<=>(const Place&) const = default;
};

struct Command {
  std::vector<std::string> argv;
  std::string dir;  // empty: the home
  std::map<std::string, std::string> environment;
};
struct RunBounds {
  std::optional<std::chrono::milliseconds> limit;  // none: the configuration's run_timeout_s, 60 s
  std::size_t max_output = std::size_t{1} << 20;   // of both streams together
  std::stop_token stop = {};                       // asked to: killed as at the limit, and Errc::failed
};
struct RunResult {
  int exit_code = 0;  // 128 + the signal's number for one that was killed
  std::string out, err;
  bool truncated = false;  // more was written than `max_output`; that is gone, and the command went on
  bool timed_out = false;  // stopped by the limit: it is dead, and so is all that it started
};
struct Terminal {
  int columns = 80, rows = 24;
};

/// A process in a place, from outside. It can end at any time: the process ends, the box stops, the engine or
/// the API server goes away. One thread reads, one (the same or another) writes.
class Stream {
 public:
  enum class From { out, err, end };
  struct Piece {
    From from = From::out;
    std::string bytes;
    int exit_code = 0;  // with `end`
  };
  virtual ~Stream() = default;  // ends the process, if it still runs

  /// What came within `wait`; none when nothing did. `end` is the last. An error says that the stream is
  /// gone and how the process ended is not known; the destructor sees to the process.
  virtual Result<std::optional<Piece>> read(std::chrono::milliseconds wait) = 0;
  virtual Status write(std::string_view bytes) = 0;
  /// The process reads an end of file. Errc::conflict where the runtime cannot (Kubernetes before 1.30).
  virtual Status close_input() = 0;
  /// Errc::conflict without a terminal.
  virtual Status resize(Terminal size) = 0;
  /// Kills the process and all that it started; ended already is success.
  virtual Status kill() = 0;
};

/// One thing that a runtime keeps for boxes. `box` is empty for what is a login's, or nobody's any more.
struct Object {
  std::string kind;  // container, network, folder, login; pod, policy, claim
  std::string name;
  std::string box;
  auto operator<=>(const Object&) const = default;
};
using Facts = std::map<std::string, std::string>;

struct Health {
  bool answering = false;
  bool proxy_ready = false;
  std::string cause;  // why not, for a person
};

/// What runs the boxes, keeps their storage and isolates them: Docker, Podman or Kubernetes. Knows nothing of
/// what a box is for. Any thread; calls about one box follow one another. Not answering is
/// Errc::engine_unreachable; a call that was cut off in the middle may be made again, and the next ensure or
/// remove repairs or removes a box half made. Every changing act asks the seam first.
class Runtime {
 public:
  virtual ~Runtime() = default;

  // Storage: three parts a box, `home`, `work` and `cache`, that outlive its container.
  /// All parts that are missing are made, empty and the box user's own; those that are there stay.
  virtual Status create_storage(const BoxId& box) = 0;
  /// The names of the parts that are not there.
  virtual Result<std::vector<std::string>> missing_storage(const BoxId& box) = 0;
  /// Gone already is success. Errc::conflict while the box runs.
  virtual Status remove_storage(const BoxId& box) = 0;

  // Lifecycle.
  /// Makes or repairs the container and the isolation; done already is success. On a running box it repairs
  /// the isolation alone. Errc::conflict when the storage is missing, naming the parts.
  virtual Status ensure(const BoxId& box, const BoxSpec& spec) = 0;
  /// After `ensure`, with the same spec: a runtime may make the container only now. Running already is
  /// success.
  virtual Status start(const BoxId& box, const BoxSpec& spec) = 0;
  /// Stopped or gone already is success.
  virtual Status stop(const BoxId& box) = 0;
  /// The container and the isolation; the storage stays. Gone already is success.
  virtual Status remove(const BoxId& box) = 0;
  /// A box that is gone is stopped.
  virtual State state(const BoxId& box) = 0;

  // Isolation: from inside, the proxy answers and nothing else does.
  /// Repairs it, whatever the box's state.
  virtual Status ensure_isolation(const BoxId& box) = 0;
  /// Whether it is whole: nothing but the proxy can be reached, and the proxy is there to be reached.
  virtual Result<bool> isolated(const BoxId& box) = 0;
  /// "http://proxy:3128": as it is reached from inside the box. Ask again after `ensure`.
  virtual Result<std::string> proxy_url(const BoxId& box) = 0;

  // Processes, as the box's user. Errc::conflict in a place that does not run.
  virtual Result<RunResult> run(const Place& place, const Command& command, const RunBounds& bounds) = 0;
  virtual Result<std::unique_ptr<Stream>> spawn(const Place& place, const Command& command,
                                                std::optional<Terminal> terminal) = 0;

  // Box image.
  /// The id of the image that the box was made from. Errc::not_found when it is not made.
  virtual Result<std::string> image_of(const BoxId& box) = 0;
  /// The image is there to make boxes from, by the configuration's pull policy.
  virtual Status ensure_image() = 0;
  /// Asks for a newer one. True when there was one; older ones that no box uses are removed.
  virtual Result<bool> refresh_image() = 0;

  // Inventory.
  /// Everything kept for boxes and logins, a box after the other, in the order in which it must be removed.
  virtual Result<std::vector<Object>> inventory() = 0;
  /// Gone already is success. What bears no label of a box or login is Errc::not_granted.
  virtual Status remove_object(const Object& object) = 0;

  // Logins: a container that may reach the net, its home in memory; `remove_object` ends it.
  virtual Status start_login(const LoginId& login) = 0;

  // Facts.
  /// Once at the start, and again after a failure of it: finds the data volume and the proxy.
  virtual Status prepare() = 0;
  virtual Result<Facts> details(const BoxId& box) = 0;
  virtual Health health() = 0;
  /// The ids of the images in use: of the boxes, of the proxy.
  virtual Result<Facts> deployment_images() = 0;
};

}  // namespace berth::holder::boxes
