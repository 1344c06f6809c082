#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/seam.h"
#include "host/path/path.h"

namespace berth::host::path {

/// Which ways to the runtime this program was linked with. Each program hands its own in from `main`; nothing
/// else decides, so what is not in the binary cannot be chosen at run time.
struct Linked {
  std::unique_ptr<Path> (*cli)(Seam&) = nullptr;
  std::unique_ptr<Path> (*holder)(const std::string& socket, Seam&) = nullptr;
};

/// The one way this release may use now. The path belongs to the release, not to the moment: without the
/// holder's it is always the command line, without the command line always the holder, and with both the
/// holder from the latch on. There is no way back from silence: a holder that does not answer is no path.
Result<Kind> allowed_kind(const Linked& linked, bool latched);

/// The way of that kind, which this program was linked with. Asks nothing yet.
std::unique_ptr<Path> make_path(const Linked& linked, Kind kind, const std::string& holder_socket, Seam& seam);

/// A path that keeps its list until something is changed through it: an apply of a hundred containers asks
/// once. `forget` before a list that must be of now.
class Remembering final : public Path {
 public:
  explicit Remembering(std::unique_ptr<Path> path, std::optional<std::vector<Seen>> known = {})
      : path_(std::move(path)), known_(std::move(known)) {}
  void forget() { known_.reset(); }

  Kind kind() const override { return path_->kind(); }
  Result<std::vector<Seen>> list() override;
  Result<std::vector<Seen>> with_processes(std::vector<Seen> all) override {
    return path_->with_processes(std::move(all));
  }
  Result<Json> inspect(const std::string& container) override;
  Result<std::vector<std::string>> differences(const std::string& id,
                                               const holder::client::ContainerSpec& spec) override {
    return path_->differences(id, spec);
  }
  Result<std::string> create(const holder::client::ContainerSpec& spec) override {
    forget();
    return path_->create(spec);
  }
  Status start(const std::string& id) override { return forget(), path_->start(id); }
  Status stop(const std::string& id, std::chrono::seconds grace) override {
    return forget(), path_->stop(id, grace);
  }
  Status remove(const std::string& id) override { return forget(), path_->remove(id); }
  Status signal(const std::string& id, std::string_view signal) override {
    return forget(), path_->signal(id, signal);
  }
  Result<EngineView> engine() override { return path_->engine(); }
  Result<std::string> engine_socket() override { return path_->engine_socket(); }
  Result<bool> reloaded_since(Time since) override { return path_->reloaded_since(since); }

 private:
  std::unique_ptr<Path> path_;
  std::optional<std::vector<Seen>> known_;
};

/// A path, and what it answered when it was first asked.
struct Opened {
  Kind wanted = Kind::none;      // what the release allows
  std::unique_ptr<Remembering> path;  // never null; asked again by whoever wants to
  std::optional<Error> silent;   // why `list` was not answered
  std::vector<Seen> containers;  // what it answered
  Kind used() const { return silent ? Kind::none : wanted; }
  /// What runs now, with its processes; nothing where it cannot be told.
  Result<std::vector<Seen>> seen_now() const;
};

/// Makes the allowed path and asks it for its list, once.
Result<Opened> open_path(const Linked& linked, bool latched, const std::string& holder_socket, Seam& seam);

}  // namespace berth::host::path
