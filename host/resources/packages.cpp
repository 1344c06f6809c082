#include "host/resources/packages.h"

#include "base/process.h"

namespace berth::host::resources {
namespace {

constexpr std::chrono::seconds kAsk{20};
constexpr std::chrono::minutes kInstall{15};  // downloads included; beyond it the archive does not answer

class Apt final : public Packages {
 public:
  explicit Apt(Seam& seam) : seam_(seam) {}

  Result<std::optional<std::string>> installed(const std::string& name) override {
    const auto asked = TRY(run_process({"dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", "--", name}, kAsk, seam_));
    if (asked.exit_status == 1) return std::optional<std::string>{};  // dpkg does not know it
    if (asked.exit_status != 0) return fail(Errc::failed, "dpkg-query of " + name + ": " + asked.err);
    constexpr std::string_view kInstalled = "installed ";
    if (!asked.out.starts_with(kInstalled)) return std::optional<std::string>{};
    return std::optional{asked.out.substr(kInstalled.size())};
  }

  Status install(const std::string& name) override {
    TRY(seam_.before("package.install", name));
    TRY(run_checked({"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends",
                     "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
                     "-o", "DPkg::Lock::Timeout=300", "--", name},
                    kInstall, seam_));
    return {};
  }

 private:
  Seam& seam_;
};

}  // namespace

std::unique_ptr<Packages> make_apt(Seam& seam) { return std::make_unique<Apt>(seam); }

}  // namespace berth::host::resources
