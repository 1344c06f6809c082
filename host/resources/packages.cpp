#include "host/resources/packages.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "base/process.h"

namespace berth::host::resources {
namespace {

constexpr std::chrono::seconds kAsk{20};
constexpr std::chrono::minutes kInstall{15};  // downloads included; beyond it the archive does not answer

using Argv = std::vector<std::string>;
using Version = std::optional<std::string>;

/// One package manager: its program, what asks for a version and what installs, the package's name at the end.
struct Manager {
  const char* program;
  Argv ask, install;
  Version (*version)(const std::string& answer);
};

/// "installed 1.2"; removed but configured says another word.
Version dpkg_version(const std::string& answer) {
  constexpr std::string_view kInstalled = "installed ";
  return answer.starts_with(kInstalled) ? Version{answer.substr(kInstalled.size())} : Version{};
}
Version rpm_version(const std::string& answer) { return answer; }
/// "name 1.2-1\n"
Version pacman_version(const std::string& answer) {
  const auto blank = answer.find(' ');
  const auto end = answer.find('\n');
  return blank == std::string::npos ? Version{} : Version{answer.substr(blank + 1, end - blank - 1)};
}

const std::array<Manager, 3>& managers() {
  static const std::array<Manager, 3> kManagers = {{
      {"apt-get",
       {"dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}"},
       {"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends", "-o",
        "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold", "-o", "DPkg::Lock::Timeout=300"},
       dpkg_version},
      {"dnf",
       {"rpm", "-q", "--queryformat", "%{VERSION}-%{RELEASE}"},
       {"dnf", "install", "-y", "--setopt=install_weak_deps=False"},
       rpm_version},
      {"pacman", {"pacman", "-Q"}, {"pacman", "-S", "--noconfirm", "--needed"}, pacman_version},
  }};
  return kManagers;
}

bool is_here(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/sbin:/usr/bin:/sbin:/bin" : path;
  folders += ':';
  for (std::size_t at = 0; at < folders.size();) {
    const auto end = folders.find(':', at);
    if (::access((folders.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

class SystemPackages final : public Packages {
 public:
  explicit SystemPackages(Seam& seam) : seam_(seam) {}

  Result<Version> installed(const std::string& name) override {
    const auto& manager = *TRY(here());
    const auto asked = TRY(run_process(with(manager.ask, name), kAsk, seam_));
    if (asked.exit_status == 1) return Version{};  // it does not know it
    if (asked.exit_status != 0) return fail(Errc::failed, manager.ask[0] + " of " + name + ": " + asked.err);
    return manager.version(asked.out);
  }

  Status install(const std::string& name) override {
    TRY(seam_.before("package.install", name));
    TRY(run_checked(with(TRY(here())->install, name), kInstall, seam_));
    return {};
  }

 private:
  static Argv with(Argv argv, const std::string& name) {
    argv.insert(argv.end(), {"--", name});
    return argv;
  }
  static Result<const Manager*> here() {
    for (const auto& manager : managers()) {
      if (is_here(manager.program)) return &manager;
    }
    return fail(Errc::failed, "this machine has none of apt-get, dnf and pacman");
  }

  Seam& seam_;
};

}  // namespace

std::unique_ptr<Packages> make_packages(Seam& seam) { return std::make_unique<SystemPackages>(seam); }

}  // namespace berth::host::resources
