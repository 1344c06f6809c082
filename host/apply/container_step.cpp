#include "host/apply/container_step.h"

#include <algorithm>
#include <deque>
#include <future>
#include <iterator>
#include <system_error>
#include <utility>

#include "host/resources/container.h"

namespace berth::host::apply {
namespace {

Result<resources::Acted> act(const Item& item, const Record& record, resources::World& world) {
  return item.type->apply(world, record.declared, record.found, record.applied);
}

/// On a thread of its own; where there is none to be had, when it is waited for.
template <class Make, class Due>
std::future<Result<resources::Acted>> begin(const Make& make, const Due& due) {
  try {
    return std::async(std::launch::async, make, std::cref(due));
  } catch (const std::system_error&) {
    return std::async(std::launch::deferred, make, std::cref(due));
  }
}

bool stays(const Run::Intent& intent, const std::vector<path::Seen>& there) {
  return intent.reopens && !intent.maybe_changed &&
         resources::container::stays(there, intent.record.declared, intent.record.applied);
}

}  // namespace

Status ContainerStep::go() {
  run_.wake_path();
  if (run_.opened_.silent) {
    for (const auto& item : items_)
      TRY(run_.failed(item.id, run_.silence(item.id + " was not made or checked")));
    return {};
  }
  TRY(intend());
  for (std::span<const Due> left{dues_}; !left.empty();) {
    const auto there = run_.opened_.path->list();
    if (!there) {
      TRY(keep());
      return all_failed(left, there.error());
    }
    const auto made = only_made(left, *there);
    if (made.size() > 1) {
      TRY(make_side_by_side(made, *there));
    } else {
      TRY(finish(left.front(), act(*left.front().item, left.front().record, run_.world_)));
    }
    left = left.subspan(std::max<std::size_t>(made.size(), 1));
  }
  return keep();
}

/// One transaction for all: a hundred wait for the disk once. One that stays as it is needs no intent.
Status ContainerStep::intend() {
  std::vector<Run::Intent> intents;
  TRY(look_at_all(intents));
  const auto there = run_.opened_.path->list();
  if (!there) return all_failed(std::exchange(dues_, {}), there.error());
  const auto written = run_.store_.transaction([&]() -> Status {
    for (const auto& intent : intents) {
      if (!stays(intent, *there)) TRY(run_.intend(intent));
    }
    return {};
  });
  if (!written) return all_failed(std::exchange(dues_, {}), written.error());
  for (std::size_t i = 0; i < intents.size(); ++i) dues_[i].record = std::move(intents[i].record);
  return {};
}

Status ContainerStep::look_at_all(std::vector<Run::Intent>& intents) {
  for (const auto& item : items_) {
    auto intent = run_.look(item);
    if (!intent) {
      TRY(run_.failed(item.id, intent.error()));
      continue;
    }
    intents.push_back(std::move(intent).value());
    dues_.push_back({&item, {}});
  }
  return {};
}

/// A whole push is undone at its first failure: nothing else is under way then.
std::size_t ContainerStep::made_at_once() const { return run_.plan_.whole ? 1 : run_.site_.made_at_once; }

/// As many of the first as touch nothing that is there. The first that needs a network or a volume makes it,
/// where it is missing; those that need the same come after.
std::span<const ContainerStep::Due> ContainerStep::only_made(std::span<const Due> dues,
                                                             const std::vector<path::Seen>& there) {
  if (made_at_once() < 2) return dues.first(1);
  std::set<std::string> wanted;
  std::size_t n = 0;
  for (; n < dues.size(); ++n) {
    const auto& [item, record] = dues[n];
    if (!resources::container::is_only_made(there, record.declared, record.applied)) break;
    const auto needs = resources::container::surroundings(record.declared);
    if (std::ranges::any_of(needs, [&](const auto& one) { return wanted.contains(one); })) break;
    std::ranges::copy_if(needs, std::inserter(wanted, wanted.end()),
                         [&](const auto& one) { return !made_.contains(one); });
  }
  made_.merge(wanted);
  return dues.first(n);
}

/// Each on a way of its own to the runtime, which knows what was there when the first began. Kept in order.
Status ContainerStep::make_side_by_side(std::span<const Due> dues, const std::vector<path::Seen>& there) {
  const auto make = [&](const Due& due) {
    const auto& site = run_.site_;
    path::Remembering own{path::make_path(site.linked, run_.opened_.wanted, site.holder_socket(), site.seam),
                          there};
    auto world = run_.world_;
    world.path = &own;
    return act(*due.item, due.record, world);
  };
  std::deque<std::future<Result<resources::Acted>>> under_way;
  std::size_t begun = 0;
  for (const auto& due : dues) {
    while (begun < dues.size() && under_way.size() < made_at_once())
      under_way.push_back(begin(make, dues[begun++]));
    auto acted = under_way.front().get();
    under_way.pop_front();
    run_.opened_.path->forget();
    TRY(finish(due, std::move(acted)));
  }
  return {};
}

/// What was done is durable before the next is; what stayed as it was can wait for the others.
Status ContainerStep::finish(const Due& due, Result<resources::Acted> acted) {
  if (!acted) return run_.failed(due.item->id, acted.error());
  run_.ran_.changed |= acted->changed;
  TRY(run_.note(due.item->id, acted->action, acted->detail));
  const bool changed = acted->changed;
  unkept_.push_back({&due, std::move(acted).value()});
  return changed ? keep() : Status{};
}

Status ContainerStep::keep() {
  const auto done = std::exchange(unkept_, {});
  const auto kept = run_.store_.transaction([&]() -> Status {
    for (const auto& [due, acted] : done) TRY(run_.keep(*due->item, due->record, acted));
    return {};
  });
  if (kept) return {};
  for (const auto& one : done) TRY(run_.failed(one.due->item->id, kept.error()));
  return {};
}

Status ContainerStep::all_failed(std::span<const Due> dues, const Error& error) {
  for (const auto& due : dues) TRY(run_.failed(due.item->id, error));
  return {};
}

}  // namespace berth::host::apply
