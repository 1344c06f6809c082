#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/client/engine_keys.h"
#include "holder/verbs/facts.h"

namespace berth::holder::verbs {

/// The engine's process, as far as the machine shows it: its flags and when it began. Absent where there is no
/// process of that id, or this account may not look at it.
struct EngineProcess {
  std::vector<client::SetFlag> flags;
  std::optional<Time> began;
  std::string unknown;  // why nothing is known of it; empty when it is
  static EngineProcess look(const std::filesystem::path& pid_file);
};

/// The engine's file as it is on the disk. Never written here.
class EngineFile {
 public:
  /// A missing file is an empty one; one that cannot be read is an error.
  static Result<EngineFile> read(const Facts& facts);

  bool exists() const { return exists_; }
  const std::string& text() const { return text_; }
  std::optional<Time> changed() const { return changed_; }
  /// Its members; null when it is no JSON object.
  const Json& document() const { return *document_; }
  /// [{"key", "why"}]: each thing for which the engine would not come up again. `key` is null for the whole file.
  Json would_stop(const EngineProcess& process) const;

 private:
  bool exists_ = false;
  std::filesystem::path path_;
  std::string text_, unreadable_;
  std::optional<Time> changed_;
  std::shared_ptr<const Json> document_;
};

}  // namespace berth::holder::verbs
