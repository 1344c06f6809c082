#pragma once
#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::release {

inline constexpr auto kHostUnit = "berth-host.service";
inline constexpr auto kWatchUnit = "berth-release-watch.service";

/// Where releases and their links are; `config` is what the watch is started with.
struct Places {
  std::filesystem::path root;  // "" on a machine; before every other path
  std::filesystem::path releases;
  std::filesystem::path config;  // host.json, for the watch's command line
  std::filesystem::path link() const { return releases.parent_path() / "host"; }
};

/// host.ask release: stages (switch) or finds (back) a release, tries that its program starts here and opens
/// this store's schema, writes the trial durably and starts the watch, a unit of the OLD program that a
/// reboot does not end. The watch points the link, restarts the host, and goes back to the old release unless
/// the new one proved itself by the deadline: so no moment has the new release running and nobody watching
/// it. Going back to a release without the holder's path clears the latch.
Result<Json> switch_release(const Json& request, store::Store& store, const apply::Site& site,
                            const Places& places);

/// The watch's unit file.
std::string watch_unit_text(const std::filesystem::path& program, const std::filesystem::path& config);

}  // namespace berth::host::release
