#include "holder/boxes/docker/docker_runtime.h"

// ensure, start, stop, remove, state.
namespace berth::holder::boxes::docker {
namespace {

constexpr std::chrono::seconds kGrace{10};

std::string label_of(const engine::Inspected& container, const char* key) {
  const auto at = container.summary.labels.find(key);
  return at == container.summary.labels.end() ? std::string{} : at->second;
}

bool is_half_removed(const engine::Inspected& container) {
  return container.summary.state == "dead" || container.summary.state == "removing";
}

}  // namespace

Status DockerRuntime::ensure(const BoxId& box, const BoxSpec& spec) {
  const auto turn = turns_.take(box.text());
  return ensure_held(box, spec);
}

Status DockerRuntime::ensure_held(const BoxId& box, const BoxSpec& spec) {
  const auto open = TRY(calls());
  make_agree(*open, box);
  const auto found = TRY(recorded(*open, Place::of(box)));
  if (found && runs(*found)) return isolate(*open, box);
  TRY(isolate(*open, box));
  const auto network = TRY(open->network_facts(network_name(box)));
  const auto wanted = box_container(box, spec, TRY(data_path(*open)));
  const bool fits = found && label_of(*found, kSpecMark) == wanted.labels.at(kSpecMark) &&
                    !is_half_removed(*found) && joined(*found, network);
  if (fits) return {};
  TRY(clear_name(*open, box));
  return make_container(*open, box, spec);
}

/// A container of the box's name that is not the box: what an ensure that was cut off left, or an older
/// spec's.
Status DockerRuntime::clear_name(engine::BoxCalls& calls, const BoxId& box) {
  const auto by_ledger = TRY(recorded(calls, Place::of(box)));
  const auto by_name = TRY(named(calls, box_name(box)));
  for (const auto& found : {by_ledger, by_name}) {
    if (!found) continue;
    if (label_of(*found, kBoxLabel) != box.text())
      return fail(Errc::conflict, "the container " + found->summary.name +
                                      " is in the way and is no box: it " + "bears no label " + kBoxLabel +
                                      "=" + box.text());
    const auto removed = calls.engine().remove(found->summary.id, true, true);
    if (!removed && removed.error().code != Errc::not_found) return removed.error();
  }
  return ledger_.forget(Place::of(box));
}

Status DockerRuntime::make_container(engine::BoxCalls& calls, const BoxId& box, const BoxSpec& spec) {
  if (calls.podman()) TRY(have_storage(box));  // which makes a container over folders that are not there
  const auto wanted = box_container(box, spec, TRY(data_path(calls)));
  auto created = calls.engine().create(wanted);
  // A removal that was cut off leaves the name taken by what Podman's list does not have: only a removal ends
  // that.
  if (!created && calls.podman() && created.error().code != Errc::engine_unreachable &&
      !TRY(named(calls, wanted.name))) {
    static_cast<void>(calls.engine().remove(wanted.name, true, false));
    created = calls.engine().create(wanted);
  }
  if (created) return ledger_.record(Place::of(box), created->id);
  // A folder that is not there is one reason of many, and costs a container to find out.
  if (created.error().code != Errc::engine_unreachable) TRY(have_storage(box));
  return created.error();
}

Status DockerRuntime::start(const BoxId& box, const BoxSpec& spec) {
  const auto turn = turns_.take(box.text());
  TRY(ensure_held(box, spec));
  const auto open = TRY(calls());
  const auto found = TRY(recorded(*open, Place::of(box)));
  if (!found) return fail(Errc::conflict, "box " + box.text() + " was removed while it was started");
  if (runs(*found)) return {};
  const auto started = open->engine().start(found->summary.id);
  if (started || started.error().code != Errc::engine_refused) return started;
  // A Podman that was killed in a start holds the container's address taken, by itself: one made anew has
  // another.
  TRY(clear_name(*open, box));
  TRY(make_container(*open, box, spec));
  const auto anew = TRY(recorded(*open, Place::of(box)));
  return anew ? open->engine().start(anew->summary.id) : started;
}

Status DockerRuntime::stop(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto open = TRY(calls());
  const auto found = TRY(recorded(*open, Place::of(box)));
  if (!found || found->summary.state == "created" || found->summary.state == "exited") return {};
  const auto stopped = open->engine().stop(found->summary.id, kGrace);
  return !stopped && stopped.error().code == Errc::not_found ? Status{} : stopped;
}

Status DockerRuntime::remove(const BoxId& box) {
  const auto turn = turns_.take(box.text());
  const auto open = TRY(calls());
  make_agree(*open, box);
  TRY(clear_name(*open, box));
  TRY(drop_network(*open, box));
  return remove_keepers(*open, box.text());
}

State DockerRuntime::state(const BoxId& box) {
  const auto open = calls();
  if (!open) return State::unknown;
  const auto found = recorded(**open, Place::of(box));
  if (!found) return State::unknown;
  // None is written down: that is an answer of ours, and the engine must still give its own.
  if (!*found) return (*open)->engine().ping() ? State::stopped : State::unknown;
  const auto& state = (*found)->summary.state;
  return state == "running" || state == "paused" || state == "restarting" ? State::running : State::stopped;
}

}  // namespace berth::holder::boxes::docker
