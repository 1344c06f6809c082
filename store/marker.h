#pragma once
// Of this room only: a file beside a machine's store that says there is one, and that it was being written.
#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/seam.h"

namespace berth::store {

/// Beside `host.db` the file `host.db.mark`: "<store id> <written|closed> <session>". It is written before the
/// first commit of a process that opened the store, and again when that one closes it. What tells a fresh
/// machine from one whose store is gone, and a store from one whose write-ahead log is gone.
struct Marker {
  std::string store;
  bool written = false;
  std::string session;  // also in the store, once that session's first commit is
};

std::filesystem::path marker_path(const std::filesystem::path& store);
/// Nothing where there is no such file. Errc::failed for one that cannot be read or is none of ours.
Result<std::optional<Marker>> read_marker(const std::filesystem::path& store);
Status write_marker(const std::filesystem::path& store, const Marker& marker, Seam& seam);

bool has_log(const std::filesystem::path& store);

/// Errc::conflict where the store was here and is not any more: nothing is made in its place by itself.
Status check_not_lost(const std::filesystem::path& store);

}  // namespace berth::store
