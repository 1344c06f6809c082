#include <simdjson.h>

#include "holder/engine/parse.h"
#include "holder/engine/words.h"

namespace berth::holder::engine {
namespace {

using Element = simdjson::dom::element;

/// A member, or null's stand-in: engines leave out, or say null, as they please.
std::string text(const Element& object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string{value} : std::string{};
}
std::int64_t number(const Element& object, std::string_view key) {
  std::int64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? value : 0;
}
template <class F>
void each_of(const Element& object, std::string_view key, F&& take) {
  simdjson::dom::array list;
  if (object[key].get(list) != simdjson::SUCCESS) return;
  for (const auto item : list) take(item);
}
template <class F>
void each_member(simdjson::simdjson_result<Element> found, F&& take) {
  simdjson::dom::object members;
  if (found.get(members) != simdjson::SUCCESS) return;
  for (const auto member : members) take(member.key, member.value);
}

void read_names(const Element& row, Summary& summary) {
  each_of(row, "Names", [&](const Element& item) {
    std::string_view name;
    if (item.get(name) != simdjson::SUCCESS) return;
    if (name.starts_with('/')) name.remove_prefix(1);
    summary.names.emplace_back(name);
  });
  summary.name = own_name(summary.names);
}

void read_list_ports(const Element& row, Summary& summary) {
  each_of(row, "Ports", [&](const Element& item) {
    const auto host_port = number(item, "PublicPort");
    if (host_port == 0) return;  // exposed, not published
    summary.ports.push_back({text(item, "IP"), static_cast<int>(host_port),
                             static_cast<int>(number(item, "PrivatePort")), text(item, "Type")});
  });
}

void read_list_mounts(const Element& row, Summary& summary) {
  each_of(row, "Mounts", [&](const Element& item) {
    const auto type = text(item, "Type");
    bool writable = false;
    if (item["RW"].get(writable) != simdjson::SUCCESS) writable = false;
    summary.mounts.push_back(
        {type, text(item, type == "volume" ? "Name" : "Source"), text(item, "Destination"), !writable});
  });
}

Result<Summary> summary_of(const Element& row) {
  Summary summary;
  summary.id = text(row, "Id");
  if (summary.id.empty()) return fail(Errc::engine_refused, "list of containers: a row without an Id");
  read_names(row, summary);
  summary.image = text(row, "Image");
  summary.image_id = text(row, "ImageID");
  summary.state = state_word(text(row, "State"));
  summary.status = text(row, "Status");
  summary.health = health_in_status(summary.status);
  summary.exit_code = exit_code_in_status(summary.status);
  summary.created_at = seconds_text(number(row, "Created"));
  each_member(row["Labels"], [&](std::string_view key, const Element& value) {
    std::string_view label;
    if (value.get(label) == simdjson::SUCCESS) summary.labels.emplace(key, label);
  });
  each_member(row["NetworkSettings"]["Networks"],
              [&](std::string_view key, const Element&) { summary.networks.emplace_back(key); });
  std::string_view mode;
  summary.host_network = row["HostConfig"]["NetworkMode"].get(mode) == simdjson::SUCCESS && mode == "host";
  read_list_ports(row, summary);
  read_list_mounts(row, summary);
  read_labels(summary);
  return summary;
}

Result<std::vector<Summary>> read_rows(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::array rows;
  if (const auto error = parser.parse(body).get(rows); error != simdjson::SUCCESS) {
    return fail(Errc::engine_refused, std::string{"list of containers: the answer is no JSON list: "} +
                                          simdjson::error_message(error));
  }
  std::vector<Summary> list;
  for (const auto row : rows) list.push_back(TRY(summary_of(row)));
  return list;
}

}  // namespace

Result<std::vector<Summary>> parse_list(std::string_view body) { return read_rows(std::string{body}); }

}  // namespace berth::holder::engine
