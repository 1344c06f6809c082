#pragma once
#include <string_view>

#include "base/result.h"
#include "host/apply/run.h"
#include "host/resources/engine_apply.h"

namespace berth::host::apply {

/// Kept of each push that edits the engine's file: {"before", "between", "after", "alone", "applied"}, the texts null
/// where there was no file.
inline constexpr std::string_view kEngineFileFact = "engine_file";

/// The one edit of the engine's file that a run makes, for everything it gives back and declares in it, and
/// the one reload. The rows with their found values, and the bytes before and after, are durable before it.
class EngineStep {
 public:
  explicit EngineStep(Run& run) : run_(run) {}
  Status go();
  /// The same edit, planned and not made; writes nothing.
  Result<resources::EngineEdit> plan();

 private:
  Status edit();
  Status refuse_blind(const resources::EngineEdit& edit) const;
  Status gather();
  Status gather_items();
  Status gather_others();
  Status intend(const resources::EngineEdit& edit);
  Status settle(const resources::EngineEdit& edit, const resources::EngineOutcome& outcome);
  Status check_expected_bytes(const resources::EngineEdit& edit) const;
  Status keep_bytes(const resources::EngineEdit& edit);
  Status put_back_bytes(resources::EngineEdit& edit) const;
  static Json applied_of(const resources::EngineEdit& edit, const Record& row, const Json& kept);
  Status all_failed(const Error& error);

  Run& run_;
  std::vector<resources::GiveBack> give_backs_;
  std::vector<resources::Declare> declares_;
  std::vector<Record> rows_;        // the intended rows, without what the edit finds
  std::vector<const Item*> items_;  // beside rows_
};

}  // namespace berth::host::apply
