#include "host/release/trial.h"

#include "base/fields.h"
#include "host/records/pushes.h"

namespace berth::host::release {
namespace {
constexpr std::string_view kTrial = "trial";
}

Json Trial::document() const {
  return {{"version", version},   {"folder", folder},
          {"previous", previous}, {"previous_folder", previous_folder},
          {"deadline", deadline}, {"state", state}};
}

Result<std::optional<Trial>> read_trial(store::Store& store) {
  const auto document = TRY(document_setting(store, kTrial));
  if (document.is_null()) return std::optional<Trial>{};
  Fields f{document, "setting trial"};
  Trial trial;
  trial.version = f.text("version");
  trial.folder = f.text("folder");
  trial.previous = f.text("previous");
  trial.previous_folder = f.text("previous_folder");
  trial.deadline = f.text("deadline");
  trial.state = f.text("state");
  TRY(f.finish());
  return std::optional{std::move(trial)};
}

Status write_trial(store::Store& store, const Trial& trial) {
  return set_document_setting(store, kTrial, trial.document());
}

Status prove(store::Store& store, const std::string& version) {
  auto trial = TRY(read_trial(store));
  if (!trial || trial->state != "waiting" || trial->version != version) return {};
  trial->state = "done";
  return write_trial(store, *trial);
}

}  // namespace berth::host::release
