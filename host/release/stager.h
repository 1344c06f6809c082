#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/seam.h"
#include "host/resources/resource.h"

namespace berth::host::release {

/// What release.json of a staged release says.
struct ReleaseFacts {
  std::string version, platform;
  bool cli_path = false, holder_path = false;
};
Result<ReleaseFacts> read_release(const std::filesystem::path& folder);

/// A version is a folder's name: letters, digits, '.', '+', '-' and '~', a letter or digit first.
Status check_version(const std::string& version);

/// Stages into `<releases>/<version>/`: fetched, its sha256 and its signature (by one of `keys`) checked
/// before a byte of it is unpacked, then put in place by one rename. There already with the same sha256 is
/// success, with another Errc::conflict: a version means one thing. `authority` as in fetch().
std::unique_ptr<resources::Stager> make_stager(std::filesystem::path releases, std::vector<std::string> keys,
                                               Seam& seam, std::string authority = {});

}  // namespace berth::host::release
