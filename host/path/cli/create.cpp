#include "host/path/cli/create.h"

#include "host/path/cli/arguments.h"
#include "host/path/cli/run.h"

namespace berth::host::path::cli {
namespace {

using holder::client::ContainerSpec;

Status ensure(const std::string& noun, const std::string& name, const ContainerSpec& spec, Seam& seam) {
  const auto there = docker({noun, "inspect", "--", name}, kCallBound, seam);
  if (there) return {};
  if (there.error().code != Errc::not_found) return there.error();
  Arguments make{noun, "create"};
  if (!spec.assignment.empty()) make.insert(make.end(), {"--label", "mesh-host.id=" + spec.assignment});
  make.insert(make.end(), {"--", name});
  TRY(docker(make, kCallBound, seam));
  return {};
}

Status ensure_named(const ContainerSpec& spec, Seam& seam) {
  for (const auto& network : spec.networks) TRY(ensure("network", network.name, spec, seam));
  for (const auto& mount : spec.volumes) {
    if (mount.type == "volume" && !mount.source.empty()) TRY(ensure("volume", mount.source, spec, seam));
  }
  return {};
}

Status finish(const std::string& id, const ContainerSpec& spec, Seam& seam) {
  for (std::size_t i = 1; i < spec.networks.size(); ++i) {
    Arguments join{"network", "connect"};
    for (const auto& alias : spec.networks[i].aliases) join.insert(join.end(), {"--alias", alias});
    join.insert(join.end(), {"--", spec.networks[i].name, id});
    TRY(docker(join, kCallBound, seam));
  }
  if (spec.start) TRY(docker({"start", "--", id}, kCallBound, seam));
  return {};
}

}  // namespace

Result<std::string> create_container(const ContainerSpec& spec, Seam& seam) {
  TRY(ensure_named(spec, seam));
  const auto arguments = TRY(create_arguments(spec));
  TRY(seam.before("path.create", spec.name));
  auto id = TRY(docker(arguments, spec.pull_policy == "never" ? kCallBound : kPullBound, seam));
  // A pull may print before the id; the id is the last line.
  if (const auto line = id.rfind('\n'); line != std::string::npos) id.erase(0, line + 1);
  if (auto finished = finish(id, spec, seam); !finished) {
    const auto gone = docker({"rm", "--force", "--", id}, kCallBound, seam);
    if (gone) return std::move(finished).error();
    return std::move(finished).error().while_doing("and removing it again failed too (" +
                                                   gone.error().detail + ")");
  }
  return id;
}

}  // namespace berth::host::path::cli
