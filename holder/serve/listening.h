#pragma once
#include <filesystem>

#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::serve {

/// A listening unix socket with mode 0600, in place of one that nobody listens on any more. One that
/// somebody does listen on is Errc::conflict; a file that is no socket is left alone.
Result<OwnedFd> listen_on(const std::filesystem::path& path);

}  // namespace berth::holder::serve
