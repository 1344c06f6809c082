#include "host/serve/probe.h"

#include <algorithm>

#include "base/hash.h"
#include "base/json.h"

namespace berth::host::serve {
namespace {

Result<std::string> image_here(const std::vector<path::Seen>& containers) {
  // A name is preferred: an image only known by its id was built over since.
  const auto named = std::ranges::find_if(
      containers, [](const path::Seen& seen) { return !seen.image.starts_with("sha256:"); });
  if (named != containers.end()) return named->image;
  if (!containers.empty()) return containers.front().image;
  return fail(Errc::not_found, "no container is on this machine, so no image to probe with is known");
}

constexpr std::string_view kName = "berth-probe-";
constexpr std::size_t kDigits = 8;

/// Never started, nobody's, and named as a probe is.
bool is_left_probe(const path::Seen& seen) {
  const auto digits = std::string_view{seen.name}.substr(std::min(kName.size(), seen.name.size()));
  return seen.name.starts_with(kName) && digits.size() == kDigits &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos && seen.state == "created" &&
         seen.assignment.empty();
}

/// A probe whose removal nobody lived to see goes with the next one.
Status take_away_left(path::Opened& opened) {
  for (const auto& seen : opened.containers) {
    if (!is_left_probe(seen)) continue;
    if (auto removed = opened.path->remove(seen.id); !removed && removed.error().code != Errc::not_found)
      return std::move(removed).error().while_doing("the probe " + seen.name + ", left behind, could not be removed");
  }
  std::erase_if(opened.containers, is_left_probe);
  return {};
}

}  // namespace

Result<Json> probe(const apply::Site& site, bool latched) {
  auto opened =
      TRY(path::open_path(site.linked, latched, site.holder_socket(), site.seam));
  if (opened.silent) return *opened.silent;
  TRY(take_away_left(opened));
  holder::client::ContainerSpec spec;
  spec.name = std::string{kName} + random_hex(kDigits / 2);
  spec.image = TRY(image_here(opened.containers));
  spec.start = false;
  const auto id = TRY(opened.path->create(spec));
  if (auto removed = opened.path->remove(id); !removed) {
    return std::move(removed).error().while_doing("the probe " + spec.name +
                                                  " was made and could not be removed");
  }
  return Json{{"path", path::to_text(opened.used())}, {"id", id}, {"name", spec.name}, {"image", spec.image}};
}

}  // namespace berth::host::serve
