#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/store.h"

namespace berth::store {

/// One file of schema/audit/: `-- title: …`, `-- asks: …` and `-- param: name` comments, then one SELECT.
struct Audit {
  std::string name;
  std::string title;
  std::string asks;
  std::vector<std::string> parameters;  // bound as :name; null when not given
  std::string sql;
};

const std::vector<Audit>& audits();
Result<Audit> find_audit(std::string_view name);

/// Runs an audit; `machine` is bound where the audit takes it, empty for the whole fleet.
Result<Store::Table> run_audit(Store& store, const Audit& audit, std::string_view machine);

/// Runs one read-only SELECT a person wrote: on a read-only handle and under an authorizer that lets
/// reading through and nothing else (no ATTACH, no PRAGMA that writes).
Result<Store::Table> run_select(const std::filesystem::path& path, std::string_view sql,
                                std::optional<Role> role = {});

}  // namespace berth::store
