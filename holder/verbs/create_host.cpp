#include "base/error.h"
#include "base/json.h"
#include "holder/client/spec.h"
#include "holder/policy/labels.h"
#include "holder/verbs/making.h"
#include "holder/verbs/replace.h"

namespace berth::holder::verbs {
namespace {

using client::ContainerSpec;

/// On the machine, or fetched to it as the spec's pull_policy has it.
Status have_image(Session& session, const ContainerSpec& spec) {
  if (spec.pull_policy == "always") return session.engine.pull(spec.image);
  const auto image = session.engine.image(spec.image);
  if (image) return {};
  if (image.error().code != Errc::not_found) return image.error();
  if (spec.pull_policy == "missing") return session.engine.pull(spec.image);
  return fail_field(Errc::not_found, "image", "the image " + spec.image + " is not on this machine");
}

/// Named networks and volumes, made when missing and labelled with who holds them.
Status have_surroundings(Session& session, const ContainerSpec& spec) {
  std::map<std::string, std::string> labels;
  if (!spec.assignment.empty()) labels[std::string{policy::kHeldLabel}] = spec.assignment;
  for (const auto& join : spec.networks) TRY(session.engine.ensure_network(join.name, labels));
  for (const auto& mount : spec.volumes) {
    // One with driver options the engine makes itself, as it makes the container.
    if (mount.type == "volume" && mount.driver_opts.empty())
      TRY(session.engine.ensure_volume(mount.source, labels));
  }
  return {};
}

/// As the engine tells it; it is made whether or not the engine can still tell (it may have ended and gone).
engine::Summary as_made(Session& session, const ContainerSpec& spec, const engine::Created& created) {
  if (auto made = session.engine.inspect(created.id)) return std::move(made).value().summary;
  engine::Summary summary;
  summary.id = created.id;
  summary.name = spec.name;
  summary.assignment = spec.assignment;
  return summary;
}

}  // namespace

Result<Json> create_for_host(Session& session, const Json& params) {
  const auto spec = TRY(client::parse_spec(params, client::Asker::host));
  const auto old = TRY(to_be_replaced(session, spec));
  TRY(have_image(session, spec));
  TRY(have_surroundings(session, spec));
  if (old) {
    const auto created = TRY(replace_container(session, spec, *old));
    return made_document(as_made(session, spec, created), created);
  }
  const auto created = TRY(session.engine.create(spec));
  TRY(start_made(session, spec, created));
  return made_document(as_made(session, spec, created), created);
}

}  // namespace berth::holder::verbs
