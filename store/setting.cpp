#include "schema/queries.h"
#include "store/store.h"

namespace berth::store {
namespace {

constexpr Query<std::string(std::string_view)> kSettingValue{schema::queries::setting_value};
constexpr Query<void(std::string_view, std::string_view, std::string)> kSettingSet{schema::queries::setting_set};

}  // namespace

Result<std::optional<std::string>> Store::setting(std::string_view key) { return first(kSettingValue, key); }

Status Store::set_setting(std::string_view key, std::string_view value) {
  TRY(run(kSettingSet, key, value, now()));
  return {};
}

}  // namespace berth::store
