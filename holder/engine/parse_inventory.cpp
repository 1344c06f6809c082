#include <algorithm>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/words.h"

// Images, networks, volumes: the lists.
namespace berth::holder::engine {
namespace {

/// References; an engine says "<none>:<none>" for having none.
std::vector<std::string> references(const Json& list) {
  std::vector<std::string> found;
  if (!list.is_array()) return found;
  for (const auto& item : list) {
    if (item.is_string() && item.get_ref<const std::string&>().find("<none>") == std::string::npos)
      found.push_back(item.get<std::string>());
  }
  return found;
}

std::map<std::string, std::string> labels_of(const Json& row) {
  std::map<std::string, std::string> labels;
  const auto& object = member(row, "Labels");
  if (!object.is_object()) return labels;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) labels.emplace(key, value.get<std::string>());
  }
  return labels;
}

ImageRow image_row(const Json& row) {
  return {.id = image_id(text_member(row, "Id")),
          .parent = image_id(text_member(row, "ParentId")),
          .tags = references(member(row, "RepoTags")),
          .digests = references(member(row, "RepoDigests")),
          .created_at = seconds_text(number_member(row, "Created")),
          .size_bytes = number_member(row, "Size")};
}

NetworkRow network_row(const Json& row) {
  NetworkRow network;
  network.id = text_member(row, "Id");
  network.name = text_member(row, "Name");
  network.driver = text_member(row, "Driver");
  network.created_at = time_text(text_member(row, "Created"));
  network.internal = bool_member(row, "Internal");
  network.labels = labels_of(row);
  if (const auto& subnets = member(member(row, "IPAM"), "Config"); subnets.is_array()) {
    for (const auto& item : subnets)
      network.subnets.push_back({text_member(item, "Subnet"), text_member(item, "Gateway")});
  }
  if (const auto& containers = member(row, "Containers"); containers.is_object()) {
    for (const auto& [id, settings] : containers.items()) network.containers.push_back(id);
  }
  return network;
}

/// 64 hex digits, or the label that newer engines set.
bool is_anonymous(const VolumeRow& volume) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return volume.labels.contains("com.docker.volume.anonymous") ||
         (volume.name.size() == 64 && std::ranges::all_of(volume.name, is_hex));
}

VolumeRow volume_row(const Json& row) {
  VolumeRow volume;
  volume.name = text_member(row, "Name");
  volume.driver = text_member(row, "Driver");
  volume.created_at = time_text(text_member(row, "CreatedAt"));
  volume.labels = labels_of(row);
  volume.anonymous = is_anonymous(volume);
  return volume;
}

/// Every row, or the reason why the list is none.
template <class Row>
Result<std::vector<Row>> rows_of(const Json& list, Row (*read)(const Json&), std::string Row::*identity,
                                 std::string_view what) {
  if (!list.is_array()) return fail(Errc::engine_refused, std::string{what} + ": the engine's answer is no list");
  std::vector<Row> rows;
  for (const auto& item : list) {
    rows.push_back(read(item));
    if ((rows.back().*identity).empty())
      return fail(Errc::engine_refused, std::string{what} + ": a row without its name");
  }
  return rows;
}

}  // namespace

std::string image_id(std::string_view id) {
  if (id.empty() || id.starts_with("sha256:")) return std::string{id};
  return "sha256:" + std::string{id};
}

Result<std::vector<ImageRow>> parse_images(std::string_view body) {
  return rows_of(TRY(engine_json(body, "list of images")), image_row, &ImageRow::id, "list of images");
}

Result<std::vector<NetworkRow>> parse_networks(std::string_view body) {
  return rows_of(TRY(engine_json(body, "list of networks")), network_row, &NetworkRow::id, "list of networks");
}

Result<std::vector<VolumeRow>> parse_volumes(std::string_view body) {
  const auto document = TRY(engine_json(body, "list of volumes"));
  const auto& list = member(document, "Volumes");
  if (document.is_object() && document.contains("Volumes") && list.is_null()) return std::vector<VolumeRow>{};
  return rows_of(list, volume_row, &VolumeRow::name, "list of volumes");
}

}  // namespace berth::holder::engine
