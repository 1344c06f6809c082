#include "store/marker.h"

#include <sstream>

#include "base/file.h"

namespace berth::store {

std::filesystem::path marker_path(const std::filesystem::path& store) { return store.native() + ".mark"; }

Result<std::optional<Marker>> read_marker(const std::filesystem::path& store) {
  const auto path = marker_path(store);
  const auto text = read_file(path, 4096);
  if (!text && text.error().code == Errc::not_found) return std::optional<Marker>{};
  std::istringstream in{TRY(text)};
  Marker marker;
  std::string state;
  if (in >> marker.store >> state >> marker.session && (state == "written" || state == "closed")) {
    marker.written = state == "written";
    return std::optional{std::move(marker)};
  }
  return fail(Errc::failed, path.native() + " is not what berth wrote there; it tells whether a store is lost, so nothing goes on by itself");
}

Status write_marker(const std::filesystem::path& store, const Marker& marker, Seam& seam) {
  const auto text = marker.store + (marker.written ? " written " : " closed ") + marker.session + "\n";
  return write_file(marker_path(store), text, 0600, seam);
}

Status check_not_lost(const std::filesystem::path& store) {
  const auto marker = TRY(read_marker(store));
  if (!marker) return {};
  return fail(Errc::conflict, "store " + store.native() + ": the store " + marker->store + " was here and is gone. Put a backup in its place (store restore FILE); to begin anew and forget what was found on this machine, remove " +
                                  marker_path(store).native() + " first");
}

}  // namespace berth::store
