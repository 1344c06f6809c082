#include "host/resources/placed_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "base/file.h"
#include "base/owned.h"

namespace berth::host::resources {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel counts

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The path behind the links of its last name. Its folders' links are the kernel's business.
Result<std::string> resolved(const std::string& root, std::string path, bool& link) {
  link = false;
  for (int hops = 0; hops < kMaxLinks; ++hops) {
    std::string to(PATH_MAX, '\0');
    const auto n = ::readlink((root + path).c_str(), to.data(), to.size());
    if (n < 0 && (errno == EINVAL || errno == ENOENT)) return path;
    if (n < 0) return errno_error("read the link", path, errno);
    to.resize(static_cast<std::size_t>(n));
    link = true;
    path = to.starts_with('/') ? to : folder_of(path) + "/" + to;
  }
  return errno_error("follow the links of", path, ELOOP);
}

Status check_kind(const struct stat& st, const std::string& path) {
  if (!S_ISREG(st.st_mode)) return fail(Errc::conflict, path + " is not a regular file");
  if (st.st_nlink > 1) {
    return fail(Errc::conflict, path + " has " + std::to_string(st.st_nlink) +
                                    " names (hard links); replacing it would leave the others with the old bytes");
  }
  return {};
}

Result<std::vector<std::string>> attribute_names(int from, const std::string& path) {
  const auto size = ::flistxattr(from, nullptr, 0);
  if (size < 0 && (errno == ENOTSUP || errno == ENOSYS)) return std::vector<std::string>{};
  if (size < 0) return errno_error("list the attributes of", path, errno);
  std::string list(static_cast<std::size_t>(size), '\0');
  const auto got = ::flistxattr(from, list.data(), list.size());
  if (got < 0) return errno_error("list the attributes of", path, errno);
  std::vector<std::string> names;
  for (std::size_t at = 0; at < static_cast<std::size_t>(got); at += names.back().size() + 1) {
    names.emplace_back(list.c_str() + at);
  }
  return names;
}

/// ACLs, capabilities and labels are attributes too: security.*, system.posix_acl_access, user.*, trusted.*.
Status copy_attributes(int from, int to, const std::string& path) {
  const auto names = TRY(attribute_names(from, path));
  constexpr const char* kAcl = "system.posix_acl_access";
  if (std::ranges::find(names, kAcl) == names.end()) ::fremovexattr(to, kAcl);  // a folder's default gave it one
  for (const auto& name : names) {
    const auto size = ::fgetxattr(from, name.c_str(), nullptr, 0);
    std::string value(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
    if (size < 0 || ::fgetxattr(from, name.c_str(), value.data(), value.size()) != size) {
      return errno_error("read the attribute " + name + " of", path, errno);
    }
    std::string has(value.size(), '\0');
    if (::fgetxattr(to, name.c_str(), has.data(), has.size()) == size && has == value) continue;
    if (::fsetxattr(to, name.c_str(), value.data(), value.size(), 0) != 0) {
      return errno_error("keep the attribute " + name + " of", path, errno);
    }
  }
  return {};
}

/// Mode, owner, ACL and attributes of the file that is there, then what the placement says.
Status dress(int fd, const std::string& target, const Placement& placement) {
  struct stat st {};
  const OwnedFd old{::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (!old && errno != ENOENT) return errno_error("open", target, errno);
  if (old && ::fstat(old.get(), &st) != 0) return errno_error("look at", target, errno);
  if (old) TRY(check_kind(st, target));
  const auto mode = placement.mode.value_or(old ? st.st_mode & 07777 : 0644);
  if (::fchown(fd, placement.uid.value_or(st.st_uid), placement.gid.value_or(st.st_gid)) != 0) {
    return errno_error("give the owner of", target, errno);
  }
  if (::fchmod(fd, mode) != 0) return errno_error("give the mode of", target, errno);
  if (old) TRY(copy_attributes(old.get(), fd, target));
  if (placement.mode && ::fchmod(fd, mode) != 0) return errno_error("give the mode of", target, errno);
  return {};
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const auto n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Status sync_folder(const std::string& folder, Seam& seam) {
  TRY(seam.before("folder.fsync", folder));
  const OwnedFd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd || ::fsync(fd.get()) != 0) return errno_error("fsync folder", folder, errno);
  return {};
}

Status fill_and_rename(int fd, const std::string& temporary, const std::string& target, std::string_view bytes,
                       const Placement& placement, Seam& seam) {
  TRY(seam.before("file.write", target));
  TRY(write_all(fd, bytes, temporary));
  TRY(dress(fd, target, placement));
  TRY(seam.before("file.fsync", target));
  if (::fsync(fd) != 0) return errno_error("fsync", temporary, errno);
  TRY(seam.before("file.rename", target));
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const auto* why = errno == EBUSY ? "replace (it is a mount point, so the file cannot be exchanged)" : "replace";
    return errno_error(why, target, errno);
  }
  return {};
}

/// Always the same name, so that the next run finds what a crash left.
std::string temporary_beside(const std::string& target) {
  const auto slash = target.rfind('/');
  return target.substr(0, slash + 1) + "." + target.substr(slash + 1) + ".berth-new";
}

}  // namespace

Result<PlacedFile> read_placed(const std::string& root, const std::string& path) {
  PlacedFile file;
  file.target = TRY(resolved(root, path, file.link));
  const auto target = root + file.target;
  const OwnedFd fd{::open(target.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!fd && (errno == ENOENT || errno == ENOTDIR)) return file;
  struct stat st {};
  if (!fd || ::fstat(fd.get(), &st) != 0) return errno_error("open", target, errno);
  TRY(check_kind(st, target));
  file.exists = true;
  file.mode = st.st_mode & 07777;
  file.uid = st.st_uid;
  file.gid = st.st_gid;
  file.bytes = TRY(read_file(target));
  return file;
}

Status place_file(const std::string& root, const std::string& path, std::string_view bytes, const Placement& placement,
                  Seam& seam) {
  bool link = false;
  const auto target = root + TRY(resolved(root, path, link));
  const auto temporary = temporary_beside(target);
  TRY(seam.before("file.create", target));
  ::unlink(temporary.c_str());
  OwnedFd fd{::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (!fd) return errno_error("create", temporary, errno);
  if (auto done = fill_and_rename(fd.get(), temporary, target, bytes, placement, seam); !done) {
    ::unlink(temporary.c_str());
    return done;
  }
  return sync_folder(folder_of(target), seam);
}

Status drop_unplaced(const std::string& root, const std::string& path) {
  bool link = false;
  ::unlink(temporary_beside(root + TRY(resolved(root, path, link))).c_str());
  return {};
}

Status unplace_file(const std::string& root, const std::string& path, Seam& seam) {
  bool link = false;
  const auto target = root + TRY(resolved(root, path, link));
  ::unlink(temporary_beside(target).c_str());
  if (::access(target.c_str(), F_OK) != 0 && errno == ENOENT) return {};
  TRY(seam.before("file.remove", target));
  if (::unlink(target.c_str()) != 0 && errno != ENOENT) return errno_error("remove", target, errno);
  return sync_folder(folder_of(target), seam);
}

Result<std::string> read_placed_link(const std::string& root, const std::string& path) {
  std::string to(PATH_MAX, '\0');
  const auto n = ::readlink((root + path).c_str(), to.data(), to.size());
  if (n < 0 && errno == ENOENT) return std::string{};
  if (n < 0 && errno == EINVAL) return fail(Errc::conflict, path + " is there and is no symbolic link");
  if (n < 0) return errno_error("read the link", path, errno);
  to.resize(static_cast<std::size_t>(n));
  return to;
}

Status place_link(const std::string& root, const std::string& path, const std::string& to, Seam& seam) {
  const auto link = root + path;
  const auto temporary = temporary_beside(link);
  ::unlink(temporary.c_str());  // what a death left
  if (TRY(read_placed_link(root, path)) == to) return {};
  TRY(seam.before("link.point", path));
  if (to.empty()) {
    if (::unlink(link.c_str()) != 0) return errno_error("remove the link", path, errno);
  } else {
    if (::symlink(to.c_str(), temporary.c_str()) != 0) return errno_error("make a link beside", path, errno);
    if (::rename(temporary.c_str(), link.c_str()) != 0) return errno_error("point the link", path, errno);
  }
  return sync_folder(folder_of(link), seam);
}

std::vector<std::string> missing_folders(const std::string& root, const std::string& path) {
  std::vector<std::string> folders;
  for (auto folder = folder_of(path); folder != "/" && !folder.empty(); folder = folder_of(folder)) {
    struct stat st {};
    if (::stat((root + folder).c_str(), &st) == 0) break;
    folders.push_back(folder);
  }
  return folders;
}

Status make_folders(const std::string& root, const std::string& path, Seam& seam) {
  const auto folders = missing_folders(root, path);
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    TRY(seam.before("folder.create", *folder));
    if (::mkdir((root + *folder).c_str(), 0755) != 0 && errno != EEXIST) return errno_error("make the folder", *folder, errno);
    ::chmod((root + *folder).c_str(), 0755);
    TRY(sync_folder(folder_of(root + *folder), seam));
  }
  return {};
}

Status remove_folders(const std::string& root, const std::vector<std::string>& folders, Seam& seam) {
  for (const auto& folder : folders) {
    TRY(seam.before("folder.remove", folder));
    if (::rmdir((root + folder).c_str()) == 0) continue;
    if (errno != ENOENT && errno != ENOTEMPTY && errno != EEXIST) return errno_error("remove the folder", folder, errno);
  }
  return {};
}

}  // namespace berth::host::resources
