#pragma once
#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "base/seam.h"
#include "host/serve/machine.h"

namespace berth::host {

/// What every command starts from.
struct Command {
  const Config& config;
  std::filesystem::path config_file;
  const serve::Program& program;
  Seam& seam;
};

/// Each answers the document to print. Writing ones take the store's lock (waiting 10 s for it) and refuse,
/// naming who holds it, while the daemon runs.
Result<Json> apply_file(const Command& command, const std::filesystem::path& push);
Result<Json> bootstrap_file(const Command& command, const std::filesystem::path& bundle);
Result<Json> give_back(const Command& command, const std::string& module);
Result<Json> plan_file(const Command& command, const std::filesystem::path& push);
Result<Json> read_machine(const Command& command);
Result<Json> status(const Command& command);
/// verify, backup FILE, restore FILE. A restore needs the daemon stopped.
Result<Json> keep_store(const Command& command, const std::string& act, const std::string& file);
Status watch(const Command& command);

}  // namespace berth::host
