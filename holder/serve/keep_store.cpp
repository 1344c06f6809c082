#include "holder/serve/keep_store.h"

#include "base/json.h"
#include "holder/serve/holder_config.h"
#include "store/care.h"

namespace berth::holder::serve {

Result<std::string> keep_store(const std::filesystem::path& config, const std::string& act,
                               const std::string& file) {
  const auto told = TRY(HolderConfig::read(config));
  const store::Cared cared{told.store, store::Role::holder, "berth-holder"};
  return TRY(store::take_care(cared, act, file, system_clock(), no_faults())).dump();
}

}  // namespace berth::holder::serve
