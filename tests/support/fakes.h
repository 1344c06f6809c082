#pragma once
// The world of a test: a folder of its own, a clock moved by hand, faults at a named act.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/seam.h"

namespace berth::test {

/// A folder that is gone with the test.
class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-test-XXXXXX").native();
    path_ = ::mkdtemp(name.data()) == nullptr ? std::filesystem::path{} : std::filesystem::path{name};
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Stands still until moved.
class HandClock final : public Clock {
 public:
  explicit HandClock(std::string_view at = "2026-01-02T03:04:05Z") : now_(parse_rfc3339(at).value()) {}
  Time now() const override { return now_; }
  void set(std::string_view at) { now_ = parse_rfc3339(at).value(); }
  void advance(std::chrono::nanoseconds by) { now_ += by; }

 private:
  Time now_;
};

/// Remembers every act asked for; fails or dies at the n-th of a name.
class ScriptedSeam final : public Seam {
 public:
  void fail_at(std::string act, int n = 1) { fail_[std::move(act)] = n; }
  void die_at(std::string act, int n = 1) { die_[std::move(act)] = n; }
  std::vector<std::string> acts() const {
    const std::scoped_lock lock{mutex_};
    return acts_;
  }
  int count(const std::string& act) const {
    int n = 0;
    for (const auto& done : acts()) n += done == act ? 1 : 0;
    return n;
  }

  Status before(std::string_view act, std::string_view target) override {
    const std::scoped_lock lock{mutex_};
    acts_.emplace_back(act);
    if (springs(die_, act)) ::_exit(137);
    if (springs(fail_, act)) return fail(Errc::failed, std::string{act} + " " + std::string{target} + ": made to fail");
    return {};
  }

 private:
  static bool springs(std::map<std::string, int>& traps, std::string_view act) {
    const auto at = traps.find(std::string{act});
    return at != traps.end() && --at->second == 0;
  }
  mutable std::mutex mutex_;
  std::vector<std::string> acts_;
  std::map<std::string, int> fail_;
  std::map<std::string, int> die_;
};

}  // namespace berth::test
