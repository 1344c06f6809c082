#include "host/path/select.h"

namespace berth::host::path {

Result<Kind> allowed_kind(const Linked& linked, bool latched) {
  if (linked.holder != nullptr && (latched || linked.cli == nullptr)) return Kind::holder;
  if (linked.cli != nullptr) return Kind::cli;
  return fail(Errc::failed, "this program was built with no way to the runtime");
}

Result<Opened> open_path(const Linked& linked, bool latched, const std::string& holder_socket, Seam& seam) {
  Opened opened;
  opened.wanted = TRY(allowed_kind(linked, latched));
  opened.path = opened.wanted == Kind::holder ? linked.holder(holder_socket, seam) : linked.cli(seam);
  auto listed = opened.path->list();
  if (listed) {
    opened.containers = std::move(listed).value();
  } else {
    opened.silent = std::move(listed).error();
  }
  return opened;
}

}  // namespace berth::host::path
