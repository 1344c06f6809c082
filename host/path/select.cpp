#include "host/path/select.h"

#include "base/json.h"

namespace berth::host::path {

Result<Kind> allowed_kind(const Linked& linked, bool latched) {
  if (linked.holder != nullptr && (latched || linked.cli == nullptr)) return Kind::holder;
  if (linked.cli != nullptr) return Kind::cli;
  return fail(Errc::failed, "this program was built with no way to the runtime");
}

std::unique_ptr<Path> make_path(const Linked& linked, Kind kind, const std::string& holder_socket,
                                Seam& seam) {
  return kind == Kind::holder ? linked.holder(holder_socket, seam) : linked.cli(seam);
}

Result<Opened> open_path(const Linked& linked, bool latched, const std::string& holder_socket, Seam& seam) {
  Opened opened;
  opened.wanted = TRY(allowed_kind(linked, latched));
  opened.path = std::make_unique<Remembering>(make_path(linked, opened.wanted, holder_socket, seam));
  auto listed = opened.path->list();
  if (listed) {
    opened.containers = std::move(listed).value();
  } else {
    opened.silent = std::move(listed).error();
  }
  return opened;
}

Result<std::vector<Seen>> Remembering::list() {
  if (!known_) known_ = TRY(path_->list());
  return *known_;
}

Result<Json> Remembering::inspect(const std::string& container) { return path_->inspect(container); }

Result<std::vector<Seen>> Opened::seen_now() const {
  path->forget();
  return path->with_processes(TRY(path->list()));
}

}  // namespace berth::host::path
