#include "holder/verbs/replace.h"

#include <algorithm>

#include "base/error.h"
#include "base/log.h"
#include "holder/policy/held.h"
#include "holder/policy/labels.h"
#include "holder/verbs/containers.h"

namespace berth::holder::verbs {
namespace {

using engine::Engine;
using engine::Summary;

constexpr std::chrono::seconds kGrace{10};  // the engine's own, where the spec says nothing

/// One replacement at a time on a machine: what one ends must not be what another is about to do.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

bool is_up(const Summary& container) {
  return container.state == "running" || container.state == "restarting" || container.state == "paused";
}

/// What the new container's label says.
struct Replacement {
  std::string old_id, name;
  bool ran = false;

  std::string text() const { return old_id + (ran ? " running " : " stopped ") + name; }
};

std::optional<Replacement> replacement_of(const Summary& container) {
  const auto at = container.labels.find(std::string{policy::kReplacesLabel});
  if (at == container.labels.end()) return std::nullopt;
  const auto& text = at->second;
  const auto first = text.find(' ');
  const auto second = first == std::string::npos ? first : text.find(' ', first + 1);
  if (second == std::string::npos) return std::nullopt;
  return Replacement{text.substr(0, first), text.substr(second + 1), text.substr(first + 1, second - first - 1) == "running"};
}

/// Names that nobody gives, of both containers while neither has the one they are about.
std::string new_name(const Replacement& of) { return of.name + ".next-" + of.old_id.substr(0, 12); }
std::string old_name(const Replacement& of) { return of.name + ".was-" + of.old_id.substr(0, 12); }

/// One that removes itself when it ends is gone after its stop.
Status unless_gone(Status done) { return !done && done.error().code == Errc::not_found ? Status{} : done; }

Status name_as(Engine& engine, const Summary& container, const std::string& name) {
  return container.name == name ? Status{} : engine.rename(container.id, name);
}

Status remove_old(Engine& engine, const Summary& old) {
  const auto may = TRY(policy::may_remove(client::Asker::host, old));
  return unless_gone(engine.remove(may.id(), true, false));
}

/// The old one as it was, and nothing of the new one.
Status undo(Engine& engine, const std::string& new_id, const Replacement& of) {
  const auto may = policy::may_undo_create({.id = new_id, .warnings = {}});
  TRY(unless_gone(engine.remove(may.id(), true, true)));
  const auto old = engine.inspect(of.old_id);
  if (!old && old.error().code == Errc::not_found) return {};
  TRY(name_as(engine, TRY(old).summary, of.name));
  return of.ran && !is_up(old->summary) ? engine.start(of.old_id) : Status{};
}

Status change_places(Engine& engine, const client::ContainerSpec& spec, const std::string& new_id, const Replacement& of) {
  const std::chrono::seconds grace{spec.stop_grace_s.value_or(kGrace.count())};
  if (of.ran) TRY(unless_gone(engine.stop(of.old_id, grace)));
  TRY(unless_gone(engine.rename(of.old_id, old_name(of))));
  TRY(engine.rename(new_id, of.name));
  return spec.start ? engine.start(new_id) : Status{};
}

/// Of one that was cut short; `old` is what it takes the place of, null when that is gone.
Status end_one(Engine& engine, const Summary& fresh, const Summary* old, const Replacement& of) {
  if (old == nullptr) return fresh.name == new_name(of) ? engine.rename(fresh.id, of.name) : Status{};
  const bool finished = fresh.name == of.name && is_up(fresh) && !is_up(*old);
  log::warn("a replacement was cut short",
            {{"container", of.name}, {"now", finished ? "finished" : "undone"}});
  return finished ? remove_old(engine, *old) : undo(engine, fresh.id, of);
}

Status end_all(Engine& engine) {
  const auto all = TRY(engine.list());
  for (const auto& container : all) {
    const auto of = replacement_of(container);
    if (!of) continue;
    const auto old = std::ranges::find(all, of->old_id, &Summary::id);
    TRY(end_one(engine, container, old == all.end() ? nullptr : &*old, *of));
  }
  return {};
}

Status may_replace(Session& session, const client::ContainerSpec& spec, const Summary& old) {
  if (spec.name.empty()) return fail_field(Errc::bad_request, "name", "a container that replaces one needs a name");
  if (old.assignment.empty() || old.assignment != spec.assignment) {
    auto error = fail_field(Errc::conflict, "replaces",
                            old.name + " is " + (old.assignment.empty() ? "a stray" : "held by " + old.assignment) +
                                " and not of assignment \"" + spec.assignment + "\": it is not touched");
    error.assignment = old.assignment;
    return error;
  }
  const auto named = session.engine.inspect(spec.name);
  if (!named && named.error().code == Errc::not_found) return {};
  if (!named) return named.error();
  const auto& other = named->summary;
  if (other.id == old.id || other.name != spec.name) return {};
  return fail_field(Errc::conflict, "name", "the name " + spec.name + " belongs to another container, " + other.id.substr(0, 12));
}

}  // namespace

Status end_replacements(Engine& engine) {
  const std::scoped_lock lock{one_at_a_time()};
  return end_all(engine);
}

Result<std::optional<engine::Inspected>> to_be_replaced(Session& session, const client::ContainerSpec& spec) {
  if (spec.replaces.empty()) return std::optional<engine::Inspected>{};
  TRY(end_replacements(session.engine));
  auto old = resolve(session, TRY(ContainerRef::parse(spec.replaces)));
  if (!old) {
    auto error = std::move(old).error();
    error.field = "replaces";
    return error;
  }
  TRY(may_replace(session, spec, old->summary));
  return std::optional{std::move(old).value()};
}

Result<engine::Created> replace_container(Session& session, const client::ContainerSpec& spec,
                                          const engine::Inspected& old) {
  const std::scoped_lock lock{one_at_a_time()};
  auto& engine = session.engine;
  const Replacement of{old.summary.id, spec.name, is_up(old.summary)};
  auto fresh = spec;
  fresh.name = new_name(of);
  fresh.labels[std::string{policy::kReplacesLabel}] = of.text();
  auto created = TRY(engine.create(fresh));
  if (auto changed = change_places(engine, spec, created.id, of); !changed) {
    auto error = std::move(changed).error().while_doing("replace " + spec.name);
    const auto undone = undo(engine, created.id, of);
    error.detail += undone ? "; the old container is as it was" : "; undoing it failed too: " + undone.error().detail;
    return error;
  }
  if (const auto removed = remove_old(engine, old.summary); !removed)
    created.warnings.push_back("the replaced container is still there: " + removed.error().detail);
  return created;
}

}  // namespace berth::holder::verbs
