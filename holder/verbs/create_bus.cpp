#include "base/error.h"
#include "base/json.h"
#include "holder/client/spec.h"
#include "holder/policy/forced.h"
#include "holder/policy/image.h"
#include "holder/policy/labels.h"
#include "holder/policy/ownership.h"
#include "holder/policy/read_back.h"
#include "holder/verbs/making.h"

namespace berth::holder::verbs {
namespace {

using client::ContainerSpec;
using engine::Engine;

std::string source_field(std::size_t i) { return "volumes[" + std::to_string(i) + "].source"; }

/// What is there already is the caller's own; one that is missing is looked at when it is made.
Status may_mount(Session& session, const ContainerSpec& spec) {
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    if (spec.volumes[i].type != "volume") continue;
    const auto volume = session.engine.volume(spec.volumes[i].source);
    if (!volume && volume.error().code == Errc::not_found) continue;
    if (!volume) return volume.error();
    TRY(policy::judge_volume(*volume, session.caller, source_field(i)));
  }
  return {};
}

/// Makes the missing ones as the caller's. Judged again: somebody may have been quicker.
Status have_volumes(Session& session, const ContainerSpec& spec) {
  const std::map<std::string, std::string> labels = {{std::string{policy::kCallerLabel}, session.caller}};
  for (const auto& mount : spec.volumes) {
    if (mount.type == "volume") TRY(session.engine.ensure_volume(mount.source, labels));
  }
  return may_mount(session, spec);
}

Status may_join(Session& session, const ContainerSpec& spec) {
  for (std::size_t i = 0; i < spec.networks.size(); ++i) {
    const auto field = "networks[" + std::to_string(i) + "]";
    const auto network = session.engine.network(spec.networks[i].name);
    if (!network && network.error().code == Errc::not_found) {
      return fail_field(Errc::not_found, field, "there is no network " + spec.networks[i].name);
    }
    if (!network) return network.error();
    TRY(policy::judge_network(*network, session.caller, field));
  }
  return {};
}

Result<Engine::Image> image_of(Session& session, const ContainerSpec& spec) {
  auto image = session.engine.image(spec.image);
  if (!image && image.error().code == Errc::not_found) {
    return fail_field(Errc::not_found, "image", "the image " + spec.image + " is not on this machine");
  }
  if (!image) return image.error();
  TRY(policy::judge_image(*image, spec));
  return image;
}

/// The engine's conflict at a create is the name's.
Result<engine::Created> created_named(Result<engine::Created> created) {
  if (created || created.error().code != Errc::conflict) return created;
  auto error = std::move(created).error();
  error.field = "name";
  return error;
}

/// What the engine made is read back; another container than was composed does not stay.
Result<engine::Summary> read_back(Session& session, const ContainerSpec& spec, const Engine::Image& image,
                                  const engine::Created& created) {
  const auto made = session.engine.inspect(created.id);
  auto judged = made ? policy::judge_read_back(spec, image, *made) : Status{made.error()};
  if (judged) return made->summary;
  auto error = std::move(judged).error();
  const auto removed = remove_container(session, policy::may_undo_create(created), true, true);
  if (!removed) error.detail += "; and it is still there: " + removed.error().detail;
  return error;
}

}  // namespace

Result<Json> create_for_bus(Session& session, const Json& params) {
  const auto& bounds = session.facts.bounds;
  auto spec = TRY(client::parse_spec(params, client::Asker::bus, bounds));
  const auto place = TRY(session.quota.take(session.engine, session.caller, bounds.containers));
  const auto image = TRY(image_of(session, spec));
  TRY(may_join(session, spec));
  TRY(may_mount(session, spec));
  TRY(have_volumes(session, spec));
  spec.image = image.id;  // a tag can move between the look and the use
  spec = policy::forced_for_bus(std::move(spec), session.caller, bounds);
  const auto created = TRY(created_named(session.engine.create(spec)));
  const auto container = TRY(read_back(session, spec, image, created));
  TRY(start_made(session, spec, created));
  return made_document(container, created);
}

}  // namespace berth::holder::verbs
