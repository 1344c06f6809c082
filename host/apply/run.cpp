#include "host/apply/run.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "host/apply/container_step.h"
#include "host/apply/engine_step.h"
#include "host/apply/expect.h"
#include "host/apply/on_change.h"
#include "host/apply/seat.h"
#include "host/apply/shared_folders.h"
#include "host/resources/engine_apply.h"

namespace berth::host::apply {
namespace {

/// The containers that these items begin with: one step.
std::span<const Item> containers_at(std::span<const Item> items) {
  const auto end = std::ranges::find_if(items, [](const Item& item) { return item.type->name != "container"; });
  return items.first(static_cast<std::size_t>(end - items.begin()));
}

bool names_container(const Json& kept, const std::string& id) {
  return kept.is_object() && kept.contains("id") && kept["id"] == Json(id);
}

bool same_members(const Json& one, const Json& other) {
  const auto keys = [](const Json& declared) {
    std::set<std::string> names;
    const auto into = declared.value("into", Json::object());
    for (const auto& [key, value] : into.items()) names.insert(key);
    return names;
  };
  return keys(one) == keys(other);
}

}  // namespace

Run::Run(store::Store& store, const Site& site, path::Opened& opened, Plan plan)
    : store_(store),
      site_(site),
      opened_(opened),
      plan_(std::move(plan)),
      world_(site.world(opened.silent ? nullptr : opened.path.get())),
      records_(store, site.config.machine),
      pushes_(store, site.config.machine) {
  world_.keeps_containers = plan_.whole;
}

Ran Run::go() {
  auto done = [&]() -> Status {
    TRY(prepare());
    TRY(give_back_all());
    TRY(apply_all());
    TRY(remove_orphans());
    return follow_changes();
  }();
  if (!done && !ran_.failure) ran_.failure = done.error();
  return std::move(ran_);
}

/// Nothing is made without the runtime's way; who reads the report learns which seat is silent.
Error Run::silence(std::string_view doing) const {
  Error error = *opened_.silent;
  error.seat = kSeat;
  return std::move(error).while_doing("seat " + std::string{kSeat} + " does not answer, " +
                                      std::string{doing});
}

/// Before anything is touched: what must hold holds, and what is given back only to be declared anew is
/// known.
Status Run::prepare() {
  if (plan_.whole && opened_.silent) return silence("nothing was changed");
  const bool begun = !plan_.push_id.empty() && !TRY(records_.before_push(plan_.push_id)).empty();
  if (!begun && !plan_.expect.empty()) {
    // An edit that a death cut short is nobody's change.
    TRY(resources::recover_engine_file(world_));
    if (auto holds = check_expect(plan_.expect, world_); !holds) {
      ran_.refused = true;
      return holds;
    }
  }
  changed_ = TRY(changes_due(store_));
  TRY(note_handed());
  for (const auto& record : plan_.give_back) {
    const bool again = std::ranges::any_of(plan_.items, [&](const Item& item) {
      return handed_to(item) != nullptr && handed_to(item)->id == record.id;
    });
    if (again && !is_engine_file(record.type, record.declared)) untouched_.insert(record.id);
  }
  for (const auto& id : untouched_) TRY(records_.mark(id, "giving_back", plan_.push_id));
  return {};
}

/// A package or a service of this very run may have brought the engine or the holder up since it was asked.
void Run::wake_path() {
  if (!opened_.silent) return;
  auto listed = opened_.path->list();
  if (!listed) return;
  opened_.containers = std::move(listed).value();
  opened_.silent.reset();
  world_.path = opened_.path.get();
}

bool Run::is_engine_file(std::string_view type, const Json& declared) const {
  return type == "json" && resources::is_of_engine_file(world_, declared);
}

/// Which record each item takes over: of the same thing, of a JSON file the same members. One that was applied
/// already stands beside it and takes over nothing.
Status Run::note_handed() {
  for (const auto& item : plan_.items) {
    const auto same_thing = [&](const Record& record) {
      return record.type == item.type->name &&
             item.type->target(record.declared) == item.type->target(item.declared) &&
             (item.type->name != "json" || is_engine_file(record.type, record.declared) ||
              same_members(record.declared, item.declared));
    };
    const auto at = std::ranges::find_if(plan_.give_back, same_thing);
    if (at == plan_.give_back.end()) continue;
    const auto own = TRY(records_.find(item.id));
    if (!own || own->state != "applied" || own->id == at->id) handed_.emplace(item.id, &*at);
  }
  return {};
}

const Record* Run::handed_to(const Item& item) const {
  const auto at = handed_.find(item.id);
  return at == handed_.end() ? nullptr : at->second;
}

Status Run::give_back_all() {
  bool of_engine = false;
  for (const auto& record : plan_.give_back) {
    if (is_engine_file(record.type, record.declared)) {
      of_engine = true;
    } else if (!untouched_.contains(record.id)) {
      TRY(give_back_one(record));
    }
  }
  const bool later = std::ranges::any_of(
      plan_.items, [&](const Item& item) { return is_engine_file(item.type->name, item.declared); });
  return of_engine && !later ? EngineStep(*this).go() : Status{};
}

Status Run::give_back_one(const Record& record) {
  const auto act = [&]() -> Result<resources::Acted> {
    const auto* type = site_.types(record.type);
    if (type == nullptr) return fail(Errc::failed, "this release does not know the type " + record.type);
    if (record.type == "container" && opened_.silent)
      return silence(record.id + " was not removed");
    TRY(records_.mark(record.id, "giving_back", plan_.push_id));
    return type->give_back(world_, record.declared, record.found, record.applied);
  };
  const auto acted = act();
  if (!acted) return failed(record.id, acted.error());
  TRY(records_.forget(record.id));
  ran_.changed = true;
  return note(record.id, "given_back", acted->detail);
}

Status Run::apply_all() {
  const std::span<const Item> items{plan_.items};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto& item = items[i];
    if (item.type->name == "container") {
      const auto step = containers_at(items.subspan(i));
      TRY(ContainerStep(*this, step).go());
      i += step.size() - 1;
    } else if (!is_engine_file(item.type->name, item.declared)) {
      TRY(apply_one(item));
    } else if (!engine_done_) {
      TRY(EngineStep(*this).go());
    }
  }
  return {};
}

/// The push a record is of: this run's, but for a run without one, or about what the bundle carried.
std::string Run::push_of(const Item& item, const std::optional<Record>& there) const {
  const bool keeps = there && (plan_.push_id.empty() || item.module.empty());
  return keeps ? there->push_id : plan_.push_id;
}

/// What will be on record of this item before it is touched. A record that stays keeps its found state.
Result<Run::Intent> Run::look(const Item& item) {
  auto there = TRY(records_.find(item.id));
  if (there && (there->type != item.type->name ||
                item.type->target(there->declared) != item.type->target(item.declared))) {
    // The same name for another thing: the old thing goes first.
    TRY(give_back_one(*there));
    there = TRY(records_.find(item.id));
    if (there) return fail(Errc::failed, item.id + " was about another thing, which could not be given back");
  }
  Intent intent;
  auto& next = intent.record;
  next.id = item.id;
  next.module = item.module;
  next.type = item.type->name;
  next.state = "intended";
  next.declared = item.declared;
  next.push_id = push_of(item, there);
  if (item.exact) {
    next.found = item.exact->found;
    next.applied = there ? there->applied : item.exact->applied;
  } else if (there) {
    next.found = there->found;
    next.applied = there->applied;
    if (there->declared != item.declared && item.type->widen != nullptr) {
      next.found = TRY(item.type->widen(world_, item.declared, there->found));
    }
  } else if (const auto* handed = handed_to(item)) {
    next.found = handed->found;
    next.applied = handed->applied;
  } else {
    next.found = TRY(item.type->read(world_, item.declared));
    TRY(share_what_we_made(records_, item.type->target(item.declared), next));
  }
  intent.stands = there && there->state == "applied" && there->declared == next.declared &&
                  there->found == next.found && there->push_id == next.push_id && !item.exact;
  intent.reopens = there && there->state != "intended";
  intent.maybe_changed = there && there->state != "applied";
  if (intent.stands) next.state = "applied";
  return intent;
}

/// The durable row that says what will be done and what was found.
Status Run::intend(const Intent& intent) {
  if (intent.stands) return {};
  TRY(store_.transaction([&]() -> Status {
    if (intent.reopens) TRY(records_.mark(intent.record.id, "intended", plan_.push_id));
    return records_.put(intent.record);
  }));
  if (intent.maybe_changed) changed_.insert(intent.record.id);
  return {};
}

/// The durable row that says what was done, where it says more than the one that is there.
Status Run::keep(const Item& item, Record record, const resources::Acted& acted) {
  if (record.state == "applied" && !acted.changed && acted.applied == record.applied) return {};
  if (item.exact) {
    auto exact = *item.exact;
    if (acted.changed) exact.applied = acted.applied;
    return settled(exact, true, acted.changed, handed_to(item));
  }
  record.state = "applied";
  record.applied = acted.applied;
  return settled(record, false, acted.changed || changed_.contains(item.id), handed_to(item));
}

Status Run::apply_one(const Item& item) {
  const auto act = [&]() -> Result<resources::Acted> {
    const auto intent = TRY(look(item));
    TRY(intend(intent));
    const auto& record = intent.record;
    auto acted = TRY(item.type->apply(world_, record.declared, record.found, record.applied));
    TRY(keep(item, record, acted));
    return acted;
  };
  const auto acted = act();
  if (!acted) return failed(item.id, acted.error());
  ran_.changed |= acted->changed;
  return note(item.id, acted->action, acted->detail);
}

/// A container that this host made and no record describes any more: what a replacement could not remove.
/// The label alone is no proof, another host may have set it; our own history is.
Status Run::remove_orphans() {
  if (opened_.silent || plan_.whole) return {};
  const auto records = TRY(records_.all());
  const auto described = [&](const path::Seen& one) {
    return std::ranges::any_of(records, [&](const Record& record) {
      return record.type == "container" &&
             (names_container(record.applied, one.id) || names_container(record.found, one.id));
    });
  };
  for (const auto& one : TRY(opened_.path->list())) {
    if (one.assignment.empty() || described(one) || !TRY(records_.made_container(one.id))) continue;
    if (const auto removed = opened_.path->remove(one.id); !removed) {
      TRY(failed(one.name, removed.error()));
      continue;
    }
    ran_.changed = true;
    TRY(note(one.name, "given_back", "removed the orphan " + one.id.substr(0, 12)));
  }
  return {};
}

/// One transaction: the record as applied, the one it took over from gone, and its change noted for those
/// who must follow it.
Status Run::settled(const Record& applied, bool is_exact, bool changed, const Record* handed) {
  if (changed) changed_.insert(applied.id);
  return store_.transaction([&]() -> Status {
    TRY(is_exact ? records_.put_exactly(applied) : records_.put(applied));
    if (handed != nullptr && untouched_.contains(handed->id)) TRY(records_.forget(handed->id));
    return changed ? keep_changes_due(store_, changed_) : Status{};
  });
}

Status Run::follow_changes() {
  // The engine's own unit is not reloaded again for its file: the edit's one reload was that.
  std::set<std::string> beside_engine = changed_;
  for (const auto& item : plan_.items) {
    if (is_engine_file(item.type->name, item.declared)) beside_engine.erase(item.id);
  }
  for (const auto& item : plan_.items) {
    // What could not be applied has no found state on record yet: acting on it would change what is found next.
    const auto said = std::ranges::find(ran_.outcomes, item.id, &Outcome::id);
    if (said != ran_.outcomes.end() && said->action == "failed") continue;
    const bool of_engine =
        item.type->name == "service" && item.type->target(item.declared) == world_.engine_unit;
    const auto followed = follow(item, of_engine ? beside_engine : changed_, world_, opened_);
    if (!followed) {
      TRY(failed(item.id, followed.error()));
    } else if (followed->has_value()) {
      ran_.changed = true;
      TRY(note(item.id, "updated", **followed));
    }
  }
  return ran_.failure ? Status{} : keep_changes_due(store_, {});
}

Status Run::note(const std::string& id, std::string_view action, const std::string& detail) {
  const auto at = std::ranges::find(ran_.outcomes, id, &Outcome::id);
  if (at == ran_.outcomes.end()) {
    ran_.outcomes.push_back({id, std::string{action}, detail});
  } else {
    if (at->action == "unchanged") at->action = action;
    if (!detail.empty()) at->detail += (at->detail.empty() ? "" : "; ") + detail;
  }
  return {};
}

/// A whole run ends here; an ordinary one goes on with the next resource.
Status Run::failed(const std::string& id, const Error& error) {
  const auto at = std::ranges::find(ran_.outcomes, id, &Outcome::id);
  if (at != ran_.outcomes.end()) ran_.outcomes.erase(at);
  ran_.outcomes.push_back({id, "failed", to_text(error)});
  if (!ran_.failure) ran_.failure = error;
  return plan_.whole ? Status{error} : Status{};
}

}  // namespace berth::host::apply
