#include "base/fields.h"
#include "host/resources/declared.h"
#include "host/resources/packages.h"
#include "host/resources/types.h"

namespace berth::host::resources::package {
namespace {

bool is_package_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789+-.:";
  return name.size() >= 2 && name.find_first_not_of(kAllowed) == std::string_view::npos && name[0] != '-' &&
         name[0] != '+' && name[0] != '.';
}

}  // namespace

Status check(const Json& declared) {
  Fields fields{declared, "package"};
  read_common(fields);
  const auto name = fields.text("name");
  if (!name.empty() && !is_package_name(name)) fields.refuse("name", "\"" + name + "\" is not the name of a package");
  return fields.finish();
}

Result<Json> read(World& world, const Json& declared) {
  const auto version = TRY(world.packages.installed(text_of(declared, "name")));
  return Json{{"installed", version.has_value()}, {"version", version.value_or("")}};
}

Result<Acted> apply(World& world, const Json& declared, const Json&, const Json&) {
  const auto name = text_of(declared, "name");
  auto version = TRY(world.packages.installed(name));
  if (version) return Acted{.applied = {{"version", *version}}, .detail = "already installed, " + *version};
  TRY(world.packages.install(name));
  version = TRY(world.packages.installed(name));
  if (!version) return fail(Errc::failed, "package " + name + ": installing it said success, but it is not installed");
  return Acted{true, Json{{"version", *version}}, "installed " + *version, "created"};
}

/// A package stays: others may use what it brought.
Result<Acted> give_back(World&, const Json& declared, const Json&, const Json&) {
  return Acted{.detail = "the package " + text_of(declared, "name") + " stays installed", .action = "given_back"};
}

std::string target(const Json& declared) { return text_of(declared, "name"); }

}  // namespace berth::host::resources::package
