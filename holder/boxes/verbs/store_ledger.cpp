#include "holder/boxes/verbs/store_ledger.h"

#include "schema/queries.h"

namespace berth::holder::boxes::verbs {
namespace {

constexpr store::Query<std::string(std::string_view)> kContainer{schema::queries::box_container};
constexpr store::Query<void(std::string_view)> kForgotten{schema::queries::box_forgotten};

std::string key_of(const Place& place) {
  return std::string{"boxes."} + (place.kind == Place::Kind::box ? "box." : "login.") + place.id;
}

}  // namespace

Result<std::optional<std::string>> StoreLedger::recorded(const Place& place) {
  return store_.with([&](store::Store& store) { return store.first(kContainer, key_of(place)); });
}

Status StoreLedger::record(const Place& place, const std::string& id) {
  return store_.with([&](store::Store& store) {
    return store.transaction([&] { return store.set_setting(key_of(place), id); });
  });
}

Status StoreLedger::forget(const Place& place) {
  return store_.with([&](store::Store& store) {
    return store.transaction([&]() -> Status {
      TRY(store.run(kForgotten, key_of(place)));
      return {};
    });
  });
}

}  // namespace berth::holder::boxes::verbs
