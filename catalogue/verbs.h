#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "catalogue/manifest.h"

namespace berth::catalogue {

/// "act" for a verb that changes something, "read" for any other: the class token of its subject.
std::string_view class_of_verb(std::string_view verb);

/// The verb that a module's tool is another name of: docker_list is list. What has no such prefix is itself.
std::string verb_of_tool(const Manifest& module, const std::string& tool);

/// What a module's holder serves on the bus, by the verbs' own names: those of its claims and its tools.
std::set<std::string> served_verbs(const Manifest& manifest);

/// A verb's own name, given that or a tool's: docker_list is list. "*" is itself. Nothing when no module has
/// it.
std::optional<std::string> own_name_of(std::string_view name,
                                       const std::map<std::string, Manifest>& manifests);

}  // namespace berth::catalogue
