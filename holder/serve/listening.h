#pragma once
#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/owned.h"
#include "base/result.h"

namespace berth::holder::serve {

/// A listening unix socket, in place of one that nobody listens on any more. One that somebody does listen on is
/// Errc::conflict; a file that is no socket is left alone. Its mode is 0600, or 0666 where `uids` has others than
/// root and this account: then whoever connects is judged by the kernel's word alone, as the faces do with each.
Result<OwnedFd> listen_on(const std::filesystem::path& path, const std::vector<uid_t>& uids);

}  // namespace berth::holder::serve
