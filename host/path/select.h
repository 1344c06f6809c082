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

/// A path, and what it answered when it was first asked.
struct Opened {
  Kind wanted = Kind::none;      // what the release allows
  std::unique_ptr<Path> path;    // never null; asked again by whoever wants to
  std::optional<Error> silent;   // why `list` was not answered
  std::vector<Seen> containers;  // what it answered
  Kind used() const { return silent ? Kind::none : wanted; }
};

/// Makes the allowed path and asks it for its list, once.
Result<Opened> open_path(const Linked& linked, bool latched, const std::string& holder_socket, Seam& seam);

}  // namespace berth::host::path
