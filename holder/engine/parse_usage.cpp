#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/words.h"

// GET /system/df.
namespace berth::holder::engine {
namespace {

/// The engines say -1 for what they did not count.
std::optional<std::int64_t> counted(const Json& row, const char* key) {
  const auto number = maybe_number(row, key);
  return number && *number >= 0 ? number : std::nullopt;
}

/// What it wrote; Docker leaves a zero out, so it counts where the size of all is said.
std::optional<std::int64_t> written(const Json& row) {
  const auto own = counted(row, "SizeRw");
  if (own) return own;
  return maybe_number(row, "SizeRootFs") ? std::optional<std::int64_t>{0} : std::nullopt;
}

template <class F>
void each_row(const Json& document, const char* key, F&& take) {
  const auto& list = member(document, key);
  if (!list.is_array()) return;
  for (const auto& row : list) take(row);
}

BuildRecord build_record(const Json& row) {
  return {.id = text_member(row, "ID"),
          .kind = text_member(row, "Type"),
          .what = text_member(row, "Description").substr(0, 256),
          .last_used_at = time_text(text_member(row, "LastUsedAt")),
          .size_bytes = number_member(row, "Size"),
          .in_use = bool_member(row, "InUse"),
          .shared = bool_member(row, "Shared")};
}

}  // namespace

Result<DiskUsage> parse_disk_usage(std::string_view body) {
  const auto document = TRY(engine_json(body, "disk usage"));
  if (!document.is_object()) return fail(Errc::engine_refused, "disk usage: the engine's answer is no object");
  DiskUsage usage;
  usage.layers_bytes = counted(document, "LayersSize");
  if (usage.layers_bytes == 0 && !member(document, "Images").empty()) usage.layers_bytes.reset();  // Podman's
  each_row(document, "Images", [&](const Json& row) {
    usage.images.push_back({image_id(text_member(row, "Id")), counted(row, "Size"), counted(row, "SharedSize")});
  });
  each_row(document, "Containers",
           [&](const Json& row) { usage.containers.push_back({text_member(row, "Id"), written(row), {}}); });
  each_row(document, "Volumes", [&](const Json& row) {
    usage.volumes.push_back({text_member(row, "Name"), counted(member(row, "UsageData"), "Size"), {}});
  });
  each_row(document, "BuildCache", [&](const Json& row) { usage.build.push_back(build_record(row)); });
  return usage;
}

}  // namespace berth::holder::engine
