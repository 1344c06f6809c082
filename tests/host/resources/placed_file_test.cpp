#include "host/resources/placed_file.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <sys/xattr.h>

#include "base/process.h"
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::CutSeam;
using test::must;
using test::TempRoot;

namespace {

const std::string kPlaced = "/etc/docker/daemon.json";

std::string attribute(const std::string& file, const char* name) {
  std::string value(256, '\0');
  const auto n = ::getxattr(file.c_str(), name, value.data(), value.size());
  return n < 0 ? "(none)" : value.substr(0, static_cast<std::size_t>(n));
}

/// Runs `body` in a child with a mount namespace of its own; its answer is the child's exit status.
template <class Body>
int in_own_mounts(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) ::_exit(77);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/// Mounting needs root with its capabilities; elsewhere the case says so.
bool mounted_case(int status) {
  if (status != 77) return true;
  WARN("SKIPPED: a mount namespace of its own needs root");
  return false;
}

}  // namespace

TEST_CASE("DJ18 a write through a relative link keeps the link, and the target's mode, owner and attributes") {
  TempRoot root;
  CutSeam seam;
  root.put("/srv/engine/real.json", "{}", 0640);
  std::filesystem::create_directories(root.at("/etc/docker"));
  std::filesystem::create_symlink("../../srv/engine/real.json", root.at(kPlaced));
  const auto real = root.at("/srv/engine/real.json");
  REQUIRE(::chown(real.c_str(), 0, 1234) == 0);
  const bool attributes = ::setxattr(real.c_str(), "user.note", "kept", 4, 0) == 0;
  must(place_file(root.path, kPlaced, "{\"a\": 1}", {}, seam));
  CHECK(std::filesystem::is_symlink(root.at(kPlaced)));
  CHECK(root.read("/srv/engine/real.json") == "{\"a\": 1}");
  struct stat st {};
  REQUIRE(::stat(real.c_str(), &st) == 0);
  CHECK((st.st_mode & 07777) == 0640);
  CHECK(st.st_gid == 1234);
  if (attributes) CHECK(attribute(real, "user.note") == "kept");
  const auto found = must(read_placed(root.path, kPlaced));
  CHECK(found.link);
  CHECK(found.target == "/etc/docker/../../srv/engine/real.json");
}

TEST_CASE("an absolute link is followed below the root, a chain of links to its end, a loop to an error") {
  TempRoot root;
  CutSeam seam;
  root.put("/opt/a.json", "old");
  std::filesystem::create_directories(root.at("/etc/docker"));
  std::filesystem::create_symlink("/opt/b.json", root.at(kPlaced));
  std::filesystem::create_symlink("a.json", root.at("/opt/b.json"));
  must(place_file(root.path, kPlaced, "new", {}, seam));
  CHECK(root.read("/opt/a.json") == "new");
  std::filesystem::create_symlink("loop2", root.at("/opt/loop1"));
  std::filesystem::create_symlink("loop1", root.at("/opt/loop2"));
  const auto looped = read_placed(root.path, "/opt/loop1");
  REQUIRE_FALSE(looped);
  CHECK(looped.error().detail.find("Too many levels") != std::string::npos);
}

TEST_CASE("an ACL stays on the file, and a folder's default ACL does not creep onto one that has none") {
  TempRoot root;
  CutSeam seam;
  root.put(kPlaced, "{}");
  // version 2: user::rw- user:1234:r-- group::r-- mask::r-- other::r--
  const unsigned char acl[] = {2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 0xd2, 4, 0, 0,
                               4, 0, 4, 0, 255, 255, 255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 4, 0, 255, 255, 255, 255};
  const auto file = root.at(kPlaced);
  if (::setxattr(file.c_str(), "system.posix_acl_access", acl, sizeof acl, 0) != 0) {
    WARN("SKIPPED: no ACLs on this file system");
    return;
  }
  const auto before = attribute(file, "system.posix_acl_access");
  must(place_file(root.path, kPlaced, "{\"a\": 1}", {}, seam));
  CHECK(attribute(file, "system.posix_acl_access") == before);
  REQUIRE(::removexattr(file.c_str(), "system.posix_acl_access") == 0);
  REQUIRE(::setxattr(root.at("/etc/docker").c_str(), "system.posix_acl_default", acl, sizeof acl, 0) == 0);
  must(place_file(root.path, kPlaced, "{\"a\": 2}", {}, seam));
  CHECK(attribute(file, "system.posix_acl_access") == "(none)");
}

TEST_CASE("DJ18 a bind-mounted file fails clean: old bytes, no temporary file") {
  TempRoot root;
  root.put(kPlaced, "old");
  root.put("/elsewhere.json", "mounted");
  const int status = in_own_mounts([&] {
    CutSeam seam;
    if (::mount(root.at("/elsewhere.json").c_str(), root.at(kPlaced).c_str(), nullptr, MS_BIND, nullptr) != 0) return 77;
    const auto done = place_file(root.path, kPlaced, "new", {}, seam);
    if (done || done.error().detail.find("mount point") == std::string::npos) return 1;
    if (root.read(kPlaced) != "mounted") return 2;
    return std::distance(std::filesystem::directory_iterator{root.at("/etc/docker")}, {}) == 1 ? 0 : 3;
  });
  if (mounted_case(status)) CHECK(status == 0);
}

TEST_CASE("a full disk refuses the write and leaves the old bytes and nothing else") {
  TempRoot root;
  std::filesystem::create_directories(root.at("/etc/docker"));
  const int status = in_own_mounts([&] {
    CutSeam seam;
    if (::mount("tmpfs", root.at("/etc/docker").c_str(), "tmpfs", 0, "size=16k") != 0) return 77;
    root.put(kPlaced, "old");
    const auto done = place_file(root.path, kPlaced, std::string(64 * 1024, 'x'), {}, seam);
    if (done || done.error().detail.find("No space left") == std::string::npos) return 1;
    if (root.read(kPlaced) != "old") return 2;
    return std::distance(std::filesystem::directory_iterator{root.at("/etc/docker")}, {}) == 1 ? 0 : 3;
  });
  if (mounted_case(status)) CHECK(status == 0);
}

TEST_CASE("DJ18 an immutable file fails clean") {
  TempRoot root;
  CutSeam seam;
  root.put(kPlaced, "old");
  const auto chattr = run_process({"chattr", "+i", root.at(kPlaced)}, std::chrono::seconds{5}, seam);
  if (!chattr || chattr->exit_status != 0) {
    WARN("SKIPPED: this file system has no immutable files");
    return;
  }
  const auto done = place_file(root.path, kPlaced, "new", {}, seam);
  const auto names = std::distance(std::filesystem::directory_iterator{root.at("/etc/docker")}, {});
  must(run_process({"chattr", "-i", root.at(kPlaced)}, std::chrono::seconds{5}, seam));
  REQUIRE_FALSE(done);
  CHECK(done.error().detail.find("Operation not permitted") != std::string::npos);
  CHECK(root.read(kPlaced) == "old");
  CHECK(names == 1);
}

TEST_CASE("what cannot be replaced without harm is refused by name: a hard link, a folder") {
  TempRoot root;
  CutSeam seam;
  root.put(kPlaced, "old");
  std::filesystem::create_hard_link(root.at(kPlaced), root.at("/other-name"));
  const auto linked = place_file(root.path, kPlaced, "new", {}, seam);
  REQUIRE_FALSE(linked);
  CHECK(linked.error().code == Errc::conflict);
  CHECK(linked.error().detail.find("2 names") != std::string::npos);
  CHECK(root.read("/other-name") == "old");
  std::filesystem::create_directories(root.at("/folder.json"));
  CHECK(read_placed(root.path, "/folder.json").error().code == Errc::conflict);
}

TEST_CASE("a crash at any act of a write leaves the old bytes or the new, and the next write cleans up") {
  int cut = 1;
  for (bool died = true; died; ++cut) {
    TempRoot root;
    CutSeam seam;
    root.put(kPlaced, "old", 0600);
    seam.die_at = cut;
    died = false;
    try {
      must(place_file(root.path, kPlaced, "new", {}, seam));
    } catch (const CutSeam::Died&) {
      died = true;
    }
    CAPTURE(cut, seam.acts);
    const auto bytes = root.read(kPlaced);
    CHECK((bytes == "old" || bytes == "new"));
    seam.calm();
    must(place_file(root.path, kPlaced, "new", {}, seam));
    CHECK(root.read(kPlaced) == "new");
    CHECK(std::distance(std::filesystem::directory_iterator{root.at("/etc/docker")}, {}) == 1);
  }
  CHECK(cut > 5);
}
