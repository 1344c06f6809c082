#include "host/apply/shared_folders.h"

#include <algorithm>

namespace berth::host::apply {
namespace {

/// The folders that this record's applies made, as its documents keep them.
std::vector<std::string> folders_made(const Record& record) {
  std::vector<std::string> folders;
  const auto add = [&](const Json& document) {
    if (!document.is_object()) return;
    for (const auto& folder : document.value("folders", std::vector<std::string>{})) folders.push_back(folder);
  };
  add(record.found);
  if (record.applied.is_object()) add(record.applied.value("made", Json{}));
  return folders;
}

bool made_file_of(const Record& record, std::string_view target) {
  return record.type == "json" && record.declared.value("path", "") == target && record.found.is_object() &&
         !record.found.value("exists", true);
}

}  // namespace

Status share_what_we_made(const Records& records, std::string_view target, Record& record) {
  if (!record.found.is_object() || !record.found.contains("folders")) return {};
  auto folders = record.found["folders"].get<std::vector<std::string>>();
  for (const auto& other : TRY(records.all())) {
    if (other.id == record.id) continue;
    for (const auto& folder : folders_made(other)) {
      if (target.starts_with(folder + "/") && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
    }
    if (record.type == "json" && made_file_of(other, target)) record.found["exists"] = false;
  }
  // Deepest first: each lies in the next.
  std::ranges::sort(folders, std::ranges::greater{}, &std::string::size);
  record.found["folders"] = folders;
  return {};
}

}  // namespace berth::host::apply
