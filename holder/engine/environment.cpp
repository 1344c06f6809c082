#include <set>

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"

namespace berth::holder::engine {
namespace {

std::string name_in(const std::string& entry) { return entry.substr(0, entry.find('=')); }

/// Every "NAME=value" of every member called Env, at any depth, and the member cut to its names.
void cut_lists(Json& node, std::set<std::string>& entries) {
  if (node.is_object()) {
    node.erase("CreateCommand");  // Podman: the command line that made it, values and all
    for (const auto& [key, value] : node.items()) {
      const bool environment = (key == "Env" || key == "env" || key == "Environment") && value.is_array();
      if (!environment) {
        cut_lists(value, entries);
        continue;
      }
      for (auto& item : value) {
        if (!item.is_string()) continue;
        entries.insert(item.get<std::string>());
        item = name_in(item.get<std::string>());
      }
    }
  } else if (node.is_array()) {
    for (auto& item : node) cut_lists(item, entries);
  }
}

/// The same entries wherever else a string is one of them.
void cut_repeats(Json& node, const std::set<std::string>& entries) {
  if (node.is_string()) {
    const auto& text = node.get_ref<const std::string&>();
    if (entries.contains(text)) node = name_in(text);
  } else if (node.is_structured()) {
    for (auto& item : node) cut_repeats(item, entries);
  }
}

}  // namespace

std::vector<std::string> remove_environment_values(Json& document) {
  std::vector<std::string> names;
  if (const auto& list = member(member(document, "Config"), "Env"); list.is_array()) {
    for (const auto& item : list) {
      if (item.is_string()) names.push_back(name_in(item.get<std::string>()));
    }
  }
  std::set<std::string> entries;
  cut_lists(document, entries);
  std::erase_if(entries, [](const std::string& entry) { return entry.find('=') == std::string::npos; });
  cut_repeats(document, entries);
  return names;
}

}  // namespace berth::holder::engine
