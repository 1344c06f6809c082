#pragma once
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "catalogue/facts.h"

namespace berth::catalogue {

/// The name of a package on a platform ("debian-12"). `name` is a text, or names by package manager and
/// release: {"apt": "docker.io"} or {"apt": {"debian-12": null, "debian-13": "docker-cli"}}. Nothing where
/// null says that it is not offered there; Errc::unfilled where nothing is said at all.
Result<std::optional<std::string>> package_name(const Json& name, const std::string& platform,
                                                const std::string& path);

/// Puts what a release of the fleet document is on a platform in the place of a process resource's
/// `release`: `version` and `artifact`. Errc::unfilled naming what the fleet document lacks.
Status fill_release(Json& resource, const FleetFacts& fleet, const std::string& platform,
                    const std::string& path);

}  // namespace berth::catalogue
