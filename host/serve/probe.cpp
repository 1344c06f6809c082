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

}  // namespace

Result<Json> probe(const apply::Site& site, bool latched) {
  const auto opened =
      TRY(path::open_path(site.linked, latched, site.root + site.config.holder_socket, site.seam));
  if (opened.silent) return *opened.silent;
  holder::client::ContainerSpec spec;
  spec.name = "berth-probe-" + random_hex(4);
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
