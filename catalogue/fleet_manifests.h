#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalogue/facts.h"
#include "catalogue/grants.h"
#include "catalogue/manifest.h"

namespace berth::catalogue {

/// The shipped manifests and those the fleet document brings, by name; the same name replaces a shipped one,
/// and twice in the fleet document is refused naming both files.
Result<std::map<std::string, Manifest>> fleet_manifests(const FleetFacts& facts);
/// Their texts, by module.
Result<std::map<std::string, std::string>> fleet_manifest_texts(const FleetFacts& facts);

/// The fleet document's grants as rows, each verb by its own name. Refused naming the place: an unknown
/// machine or verb, a class that is not the verb's, and every verb at once as an act.
Result<std::vector<Grant>> expand_grants(const FleetFacts& facts,
                                         const std::map<std::string, Manifest>& manifests);

}  // namespace berth::catalogue
