#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>

#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "catch.h"
#include "host/resources/resource.h"
#include "tests/support/fake_units.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// Counts acts; dies (as a power cut would: nothing after it runs, nothing is cleaned up) or fails at one of them.
class CutSeam final : public Seam {
 public:
  struct Died {};
  Status before(std::string_view act, std::string_view target) override {
    const std::scoped_lock lock{mutex_};
    acts.push_back(std::string{act});
    if (die_at != 0 && static_cast<int>(acts.size()) == die_at) throw Died{};
    if (fail_at != 0 && static_cast<int>(acts.size()) == fail_at) {
      if (with_errno != 0) return errno_error(act, target, with_errno);
      return fail(Errc::failed, std::string{act} + " " + std::string{target} + ": made to fail");
    }
    return {};
  }
  void calm() { die_at = fail_at = with_errno = 0; }
  std::vector<std::string> acts;
  int die_at = 0, fail_at = 0;
  int with_errno = 0;  // what the failure says: ENOSPC, EIO …

 private:
  std::mutex mutex_;
};

/// A folder that stands for / and is removed at the end.
class TempRoot {
 public:
  TempRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-root.XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{"mkdtemp"};
    path = name;
  }
  TempRoot(const TempRoot&) = delete;
  TempRoot& operator=(const TempRoot&) = delete;
  ~TempRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string at(const std::string& file) const { return path + file; }
  void put(const std::string& file, const std::string& bytes, mode_t mode = 0644) const {
    std::filesystem::create_directories(std::filesystem::path{at(file)}.parent_path());
    std::ofstream{at(file), std::ios::binary} << bytes;
    ::chmod(at(file).c_str(), mode);
  }
  bool has(const std::string& file) const { return std::filesystem::exists(at(file)); }
  std::string read(const std::string& file) const {
    auto bytes = read_file(at(file));
    return bytes ? *bytes : "(" + bytes.error().detail + ")";
  }
  /// Every path under it with kind, mode, owner and bytes: two equal texts are two equal trees.
  std::string tree() const {
    std::vector<std::string> lines;
    for (const auto& entry : std::filesystem::recursive_directory_iterator{path}) {
      struct stat st {};
      ::lstat(entry.path().c_str(), &st);
      std::ostringstream line;
      line << entry.path().native().substr(path.size()) << " " << std::oct << st.st_mode << " " << std::dec << st.st_uid
           << ":" << st.st_gid;
      if (S_ISREG(st.st_mode)) line << " = " << *read_file(entry.path());
      if (S_ISLNK(st.st_mode)) line << " -> " << std::filesystem::read_symlink(entry.path()).native();
      lines.push_back(line.str());
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const auto& line : lines) text += line + "\n";
    return text;
  }
  std::string path;
};

/// A machine to apply resources on: a temporary root, fake units and packages.
class Room {
 public:
  host::resources::World world() {
    host::resources::World world{.seam = seam, .clock = clock, .units = units, .packages = packages};
    world.root = root.path;
    world.pause = [](std::chrono::milliseconds) {};
    return world;
  }
  CutSeam seam;
  HandClock clock;
  TempRoot root;
  FakeUnits units{seam};
  FakePackages packages{seam};
};

inline const host::resources::Type& type(std::string_view name) {
  const auto* found = host::resources::find_type(name);
  if (found == nullptr) throw std::runtime_error{"no type " + std::string{name}};
  return *found;
}

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().detail);
  return std::move(result).value();
}
inline void must(Status status) {
  if (!status) FAIL(status.error().detail);
}

}  // namespace berth::test
