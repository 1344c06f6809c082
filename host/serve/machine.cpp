#include "host/serve/machine.h"

#include "base/config.h"
#include "base/file.h"
#include "base/json.h"
#include "host/release/stager.h"

namespace berth::host::serve {

std::string version_of(const Program& program) {
  std::error_code error;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return program.built_version;
  const auto document = read_document(binary.parent_path().parent_path() / "release.json");
  if (!document || !document->is_object()) return program.built_version;
  const auto version = document->find("version");
  return version != document->end() && version->is_string() ? version->get<std::string>()
                                                            : program.built_version;
}

Result<std::string> read_machine_id(const std::string& root) {
  auto text = TRY(read_file(root + "/etc/machine-id", 128));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const bool good = text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!good) return fail(Errc::failed, "/etc/machine-id holds no machine id of 32 hex digits");
  return text;
}

struct Machine::Parts {
  std::unique_ptr<resources::Units> units;
  std::unique_ptr<resources::Packages> packages;
  std::unique_ptr<resources::Stager> stager;
  std::unique_ptr<apply::Site> site;
};

Result<std::unique_ptr<Machine>> Machine::open(const Config& config, const Program& program, Seam& seam) {
  auto machine_id = TRY(read_machine_id(program.root));
  auto parts = std::make_unique<Parts>();
  parts->units = resources::make_units(seam);
  parts->packages = resources::make_packages(seam);
  parts->stager = release::make_stager(program.root + config.releases.native(), config.release_keys, seam,
                                        config.release_ca);
  parts->site = std::make_unique<apply::Site>(
      apply::Site{config, program.linked, seam, system_clock(), *parts->units, *parts->packages,
                  parts->stager.get(), program.root, std::move(machine_id), version_of(program)});
  return std::unique_ptr<Machine>{new Machine{std::move(parts)}};
}

Machine::Machine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Machine::~Machine() = default;
const apply::Site& Machine::site() const { return *parts_->site; }

}  // namespace berth::host::serve
