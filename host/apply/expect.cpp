#include "host/apply/expect.h"

#include "base/file.h"
#include "base/hash.h"
#include "host/resources/engine_flags.h"
#include "host/resources/units.h"

namespace berth::host::apply {

Result<Hashes> read_hashes(resources::World& world) {
  Hashes hashes;
  auto bytes = read_file(world.root + world.engine_file);
  if (!bytes && bytes.error().code != Errc::not_found) return bytes.error();
  hashes.file = sha256_hex(bytes ? *bytes : "");
  auto files = world.units.files(world.engine_unit);
  if (!files && files.error().code != Errc::not_found) return files.error();
  const auto there = files ? std::move(files).value() : std::vector<resources::UnitFile>{};
  hashes.unit = sha256_hex(resources::cat_text(there));
  const auto flags = TRY(resources::read_engine_flags(there, world.root)).document();
  hashes.flags = flags.at("sha256").get<std::string>();
  return hashes;
}

Status check_expect(const std::map<std::string, std::string>& expect, resources::World& world) {
  if (expect.empty()) return {};
  const auto now = TRY(read_hashes(world));
  for (const auto& [what, hash] : expect) {
    const auto& found = what == "file" ? now.file : what == "unit" ? now.unit : now.flags;
    if (found == hash) continue;
    const auto name = what == "file"   ? world.engine_file
                      : what == "unit" ? world.engine_unit
                                       : "the engine's flags";
    return fail_field(Errc::drift, "expect." + what,
                      name + " is not as it was read: sha256 " + found + " now, " + hash +
                          " expected; nothing was changed");
  }
  return {};
}

}  // namespace berth::host::apply
