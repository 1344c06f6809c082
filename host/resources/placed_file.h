#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/seam.h"

namespace berth::host::resources {

/// A file that others may own too, as found through its links.
struct PlacedFile {
  bool exists = false;
  bool link = false;      // the path itself is a symbolic link
  std::string target;     // what it leads to, or the path itself
  std::string bytes;
  mode_t mode = 0;        // permission bits
  uid_t uid = 0;
  gid_t gid = 0;
};

/// What a placed file shall have; what is not said stays as the file has it, a new one gets 0644 and root.
struct Placement {
  std::optional<mode_t> mode;
  std::optional<uid_t> uid;
  std::optional<gid_t> gid;
};

/// `root` stands for / (absolute links included). A dangling link is a file that does not exist; a folder, a
/// device or a file of several names (hard links: a replaced one would lose the others) is Errc::conflict.
Result<PlacedFile> read_placed(const std::string& root, const std::string& path);

/// Replaces the file's bytes through its link, so that after a crash it holds the old or the new, whole, with
/// the same mode, owner, ACL and extended attributes: temporary file in the target's folder, fsync, rename,
/// fsync folder. Where a rename cannot work (a bind-mounted or immutable file) it fails and changes nothing;
/// never does it truncate in place.
Status place_file(const std::string& root, const std::string& path, std::string_view bytes, const Placement& placement,
                  Seam& seam);

/// Takes away what a place_file that died left beside the target. For whoever finds the file as it shall be.
Status drop_unplaced(const std::string& root, const std::string& path);

/// Removes what the path leads to; missing is success.
Status unplace_file(const std::string& root, const std::string& path, Seam& seam);

/// What a symbolic link says; empty where there is none. Errc::conflict for anything else in its place.
Result<std::string> read_placed_link(const std::string& root, const std::string& path);
/// Points a link at `to` in one step; an empty `to` removes it.
Status place_link(const std::string& root, const std::string& path, const std::string& to, Seam& seam);

/// The folders above `path` that are not there, deepest first.
std::vector<std::string> missing_folders(const std::string& root, const std::string& path);
/// Makes those above `path`, mode 0755.
Status make_folders(const std::string& root, const std::string& path, Seam& seam);
/// Removes these folders in the order given; one that is not empty or not there stays as it is.
Status remove_folders(const std::string& root, const std::vector<std::string>& folders, Seam& seam);

}  // namespace berth::host::resources
