#include "cli/known.h"

#include <algorithm>

#include "schema/queries.h"

namespace berth::cli {
namespace {

constexpr store::Query<std::string()> kKnown{schema::queries::machines_named};
constexpr std::size_t kShown = 10;

std::string some_of(const std::vector<std::string>& names) {
  if (names.empty()) return "it knows none; `berth catalogue import --fleet FILE` brings them";
  std::string text = "it knows ";
  for (std::size_t i = 0; i < std::min(kShown, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

}  // namespace

Status check_machine(store::Store& store, const std::string& machine) {
  if (machine.empty()) return {};
  const auto names = TRY(store.all(kKnown));
  if (std::ranges::find(names, machine) != names.end()) return {};
  return fail_field(Errc::not_found, "machine", "the store knows no machine \"" + machine + "\"; " + some_of(names));
}

}  // namespace berth::cli
