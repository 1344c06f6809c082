#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/facts.h"

namespace berth::migrate {

// The sections of the fleet document, each read strictly: a refusal names the member by its whole path.

Result<std::map<std::string, std::string>> parse_reach(const Json& section);
Result<std::vector<catalogue::MachineFacts>> parse_machines(const Json& section);
/// module -> its settings as JSON text.
Result<std::map<std::string, std::string>> parse_settings(const Json& section, std::string path);
Result<std::vector<catalogue::GrantFacts>> parse_grants(const Json& list,
                                                        const std::vector<catalogue::MachineFacts>& machines);
/// All of start, with_holder and without_cli, of three different versions.
Result<std::map<std::string, catalogue::ReleaseFacts>> parse_releases(const Json& section);

}  // namespace berth::migrate
