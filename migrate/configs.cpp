#include "migrate/configs.h"

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "schema/queries.h"

namespace berth::migrate {
namespace {

using store::Query;
using Name = std::string_view;
using Maybe = std::optional<std::string>;

constexpr Query<void(Name)> kKeysGone{schema::queries::config_keys_gone};
constexpr Query<void(Name, Name, Maybe, Name, Maybe, Maybe, bool)> kKeyPut{schema::queries::config_key_put};
constexpr Query<void(Name, Name, bool)> kKeyWaiting{schema::queries::config_key_waiting};
constexpr Query<std::string(Name)> kSnapshot{schema::queries::config_snapshot_newest};
constexpr Query<std::string(Name)> kManifest{schema::queries::module_manifest};

}  // namespace

Status keep_keys(store::Store& store, Name machine, const std::vector<KeyFinding>& findings) {
  return store.transaction([&]() -> Status {
    TRY(store.run(kKeysGone, machine));
    for (const auto& f : findings)
      TRY(store.run(kKeyPut, machine, f.key, f.found, f.owner, f.planned, f.decision, false));
    return {};
  });
}

Status mark_waiting(store::Store& store, Name machine, const std::vector<std::string>& keys) {
  for (const auto& key : keys) TRY(store.run(kKeyWaiting, machine, key, true));
  return {};
}

Result<Json> kept_snapshot(store::Store& store, Name machine) {
  const auto body = TRY(store.first(kSnapshot, machine));
  if (!body)
    return fail(Errc::not_found, "no snapshot of " + std::string{machine} + " is kept: step 1 takes one");
  return parse_json(*body, "the snapshot of " + std::string{machine});
}

Result<Compared> compare_machine(store::Store& store, const FleetDocument& fleet, Name machine,
                                 const Json& snapshot) {
  auto planned = TRY(catalogue::planned_engine(store, machine));
  const auto manifest = TRY(store.first(kManifest, planned.module));
  if (!manifest)
    return fail(Errc::not_found, "the module " + planned.module + " is not in the operator's store");
  const auto document = TRY(parse_json(*manifest, "the manifest of " + planned.module));
  auto findings = TRY(compare_keys(snapshot, planned, document, fleet, machine));
  return Compared{std::move(planned), std::move(findings)};
}

Json findings_document(const std::vector<KeyFinding>& findings) {
  const auto value = [](const Maybe& text) { return text ? Json::parse(*text) : Json{}; };
  Json list = Json::array();
  for (const auto& f : findings) {
    list.push_back({{"key", f.key},
                    {"found", value(f.found)},
                    {"owner", f.owner},
                    {"planned", value(f.planned)},
                    {"decision", f.undecided  ? Json("undecided")
                                 : f.decision ? Json(*f.decision)
                                              : Json{}},
                    {"why", f.why}});
  }
  return list;
}

}  // namespace berth::migrate
