#include "holder/events/keeper.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "holder/events/compare.h"

namespace berth::holder::events {
namespace {

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kBatch = 256;
constexpr auto kQuiet = 300ms;     // nothing for this long after a connect: the history has been replayed
constexpr auto kQuietAtMost = 5s;  // an engine that is never quiet is compared all the same
constexpr auto kAgain = 2s;        // after a comparison that could not be made
constexpr auto kIdle = 10s;
constexpr auto kSettled = 1s;  // a list may still not show what an event told this long before
constexpr int kTries = 10;     // for what never settles, as a crash loop
constexpr auto kGoneFor = std::chrono::minutes{10};

bool is_damped(std::string_view action) {
  return action == "start" || action == "die" || action == "died" || action == "stop" ||
         action.starts_with("health_status");
}
bool is_last(std::string_view action) { return action == "destroy" || action == "remove"; }

}  // namespace

/// What one turn of the loop changes, before it is durable. The world as it was is kept for the ledger, and
/// comes back if the write fails.
struct Keeper::Step {
  World before;
  Gone gone_before;
  std::optional<Pending> comparison_before;
  Damper damper_before;
  Ledger::Batch batch;
  bool world_moved = false;  // a comparison may change rows without anything to tell
  bool empty() const { return batch.happenings.empty() && !batch.cursor && !batch.reload; }
  void tell(std::vector<Happening> happenings) {
    std::ranges::move(happenings, std::back_inserter(batch.happenings));
  }
};

Keeper::Keeper(Ledger ledger, Intake& intake, Guarded<std::optional<Time>>& resume_from, Feed& feed,
               const Clock& clock, std::function<void()> queued, KeeperTrouble trouble, AskedFor asked_for)
    : ledger_(std::move(ledger)),
      intake_(intake),
      resume_from_(resume_from),
      feed_(feed),
      clock_(clock),
      queued_(std::move(queued)),
      trouble_(std::move(trouble)),
      asked_for_(std::move(asked_for)) {}

Status Keeper::load() {
  const auto cursor = TRY(ledger_.cursor());
  fresh_ = !cursor;
  cursor_ = cursor.value_or(clock_.now());
  world_ = TRY(ledger_.load_world(cursor));
  gone_ = TRY(ledger_.load_gone(cursor_ - kGoneFor));
  resume_from_.with([&](auto& at) { at = cursor_; });
  if (!fresh_) return {};
  TRY(ledger_.write({{}, cursor_, {}}, {}, {}, {}));
  return {};
}

void Keeper::set_subjects(Subjects subjects) {
  subjects_.with([&](auto& now) { now = std::move(subjects); });
  subjects_changed_.with([](auto& changed) { changed = true; });
  intake_.wake();
}

Happening Keeper::gap(Time from, Time to, const char* cause, std::int64_t suppressed) const {
  Happening gap;
  gap.kind = "gap";
  gap.at = to;
  gap.from = to_rfc3339(from);
  gap.to = to_rfc3339(to);
  gap.cause = cause;
  gap.suppressed = suppressed;
  return gap;
}

/// Docker's history is short and forgets at a restart: if it does not reach back to where we are, something
/// may be missing. Podman keeps its events in a file.
void Keeper::meet(const Intake::Connected& connected) {
  engine_ = connected.engine;
  Pending pending{{}, Steady::now(), {}, 0};
  if (comparison_ && comparison_->gap) pending.gap = comparison_->gap;
  if (!fresh_ && engine_->info().kind == engine::Kind::docker) {
    const auto history = engine_->past_events(Time{}, cursor_);
    const bool reaches = history && !history->empty();
    if (!reaches)
      pending.gap =
          gap(cursor_, clock_.now(), connected.after_loss ? "engine_restart" : "history_overrun", 0);
  }
  fresh_ = false;
  comparison_ = std::move(pending);
}

void Keeper::take_in(const std::vector<engine::RawEvent>& events, Step& step) {
  const auto kind = engine_ ? engine_->info().kind : engine::Kind::docker;
  const Normaliser normaliser{kind, [this](const std::string& id, Time at) { return exit_code_of(id, at); },
                              asked_for_};
  for (const auto& event : events) {
    step.batch.cursor = std::max({cursor_, step.batch.cursor.value_or(cursor_), event.at});
    if (event.type == "daemon" && event.action == "reload") step.batch.reload = event;
    if (event.type != "container" || gone_.contains(event.id)) continue;
    if (is_last(event.action)) {
      if (const auto held = damper_.forget(event.id)) {
        step.tell({gap(held->from, held->to, "suppressed", held->count)});
      }
    }
    if (is_damped(event.action) && !damper_.admits(event.id, event.at)) continue;
    step.tell(normaliser.take(event, world_));
    if (is_last(event.action)) gone_.insert_or_assign(event.id, event.at);
  }
}

std::optional<int> Keeper::exit_code_of(const std::string& id, Time at) {
  if (!engine_) return std::nullopt;
  const auto seen = engine_->inspect(id);
  if (!seen || seen->summary.state != "exited") return std::nullopt;
  const auto finished = parse_rfc3339(seen->summary.finished_at);
  const bool this_end = finished && *finished <= at && at - *finished < 10s;
  return this_end ? std::optional{seen->summary.exit_code} : std::nullopt;
}

/// The list, with the times and restarts that one engine's list leaves out. One that is gone meanwhile is
/// left out; of one that the engine cannot tell of it is what the list said.
Result<std::vector<engine::Summary>> Keeper::list_with_times() {
  if (!engine_) return fail(Errc::engine_unreachable, "the engine has not answered yet");
  std::vector<engine::Summary> whole;
  std::map<std::string, engine::Summary> without;
  std::vector<std::string> ids;
  for (auto& row : TRY(engine_->list())) {
    if (!row.started_at.empty() || row.state == "created") {
      whole.push_back(std::move(row));
    } else {
      ids.push_back(row.id);
      without.emplace(ids.back(), std::move(row));
    }
  }
  for (auto& seen : TRY(engine_->inspect_all(ids)))
    whole.push_back(seen.document ? std::move(seen.summary) : std::move(without.at(seen.summary.id)));
  return whole;
}

/// Those that an event has moved so shortly before that the list may not show it yet.
std::set<std::string> Keeper::unsettled(Time asked) const {
  std::set<std::string> ids;
  if (comparison_->tries >= kTries) return ids;
  for (const auto& [id, known] : world_) {
    if (known.moved_at > asked - kSettled) ids.insert(id);
  }
  return ids;
}

void Keeper::note_compared(const std::vector<engine::Summary>& list, const std::set<std::string>& ahead,
                           Time asked) {
  for (const auto& row : list) {
    const auto known = world_.find(row.id);
    if (known != world_.end() && !ahead.contains(row.id)) known->second.compared_at = asked - kSettled;
  }
}

/// Remembers those that are not in the world any more, and forgets the oldest such.
void Keeper::note_gone(const World& before, Time at) {
  for (const auto& [id, known] : before) {
    if (!world_.contains(id)) gone_.try_emplace(id, at);
  }
  std::erase_if(gone_, [&](const auto& row) { return row.second < at - kGoneFor; });
}

/// What came in while the list was made is taken in first, so that it is told as what it is. A container with
/// an event since the list was asked for, or just before, is ahead of it, and compared another time.
Status Keeper::compare_now(Intake::Taken& taken, Step& step) {
  const auto began = clock_.now();
  const auto list = TRY(list_with_times());
  const auto meanwhile = intake_.take_waiting();
  take_in(meanwhile, step);
  auto ahead = unsettled(began);
  for (const auto& event : meanwhile) {
    if (event.at > began) ahead.insert(event.id);
  }
  taken.events.insert(taken.events.end(), meanwhile.begin(), meanwhile.end());  // for a second try
  if (comparison_->gap) {
    step.tell({*comparison_->gap});
    step.batch.cursor = std::max(step.batch.cursor.value_or(cursor_), began);  // what is before is told now
  }
  const auto before = world_;
  step.tell(compare(world_, list, clock_.now(), ahead));
  note_compared(list, ahead, began);
  note_gone(before, clock_.now());
  step.world_moved = true;
  const int tries = comparison_->tries + 1;
  comparison_.reset();
  if (!ahead.empty()) comparison_ = Pending{{}, Steady::now(), Steady::now() + kSettled, tries};
  return {};
}

/// Events that came and were not taken in: a gap, and a comparison at once.
void Keeper::lost_some(std::int64_t count, Step& step) {
  if (comparison_ && comparison_->gap) step.tell({*comparison_->gap});
  auto lost = gap(step.batch.cursor.value_or(cursor_), clock_.now(), "full_queue", count);
  comparison_ = Pending{std::move(lost), Steady::now() - kQuietAtMost, {}, 0};
}

void Keeper::compare_if_due(Intake::Taken& taken, Step& step) {
  if (!comparison_ || Steady::now() < comparison_->not_before) return;
  if (!intake_.is_streaming()) return;  // the next connect brings the events, and then compares
  const bool quiet = taken.events.empty() && !taken.connected;
  if (!quiet && Steady::now() - comparison_->since < kQuietAtMost) return;
  const auto compared = compare_now(taken, step);
  if (compared) return;
  comparison_->not_before = Steady::now() + kAgain;
  if (trouble_) trouble_(compared.error());
}

/// A container that was held back: how many of its events, and what it is now.
void Keeper::settle_held(const Damper::Held& held, Step& step) {
  auto notice = gap(held.from, held.to, "suppressed", held.count);
  const auto known = world_.find(held.id);
  if (known != world_.end()) {
    notice.container = held.id;
    notice.name = known->second.name;
    notice.image = known->second.image;
    notice.assignment = known->second.assignment;
  }
  step.tell({notice});
  if (known == world_.end() || !engine_) return;
  const auto asked = clock_.now();
  const auto seen = engine_->inspect(held.id);
  if (seen) {
    step.tell(transitions(known->second, seen->summary, clock_.now()));
    known->second.compared_at = asked - kSettled;
    return;
  }
  if (seen.error().code == Errc::not_found) return;  // its removal is on its way
  if (!comparison_) comparison_ = Pending{{}, Steady::now(), Steady::now() + kAgain, 0};
}

/// What waited for a subject goes first, so that the outbox keeps the order of the events.
Status Keeper::offer_missed(const Subjects& subjects) {
  const auto queued = ledger_.queue_missed(subjects);
  if (!queued) {
    subjects_changed_.with([](auto& changed) { changed = true; });
    return queued.error();
  }
  if (*queued > 0) queued_();
  return {};
}

Status Keeper::commit(Step& step) {
  const bool changed = subjects_changed_.with([](auto& now) { return std::exchange(now, false); });
  const auto subjects = subjects_.with([](const auto& now) { return now; });
  if (changed) TRY(offer_missed(subjects));
  if (step.empty() && !step.world_moved) return {};
  const auto bodies = TRY(ledger_.write(step.batch, step.before, world_, subjects));
  if (step.batch.cursor) cursor_ = *step.batch.cursor;
  resume_from_.with([&](auto& at) { at = cursor_; });
  for (const auto& body : bodies) feed_.tell(body);
  if (!bodies.empty()) queued_();
  return {};
}

Status Keeper::step(Intake::Taken& taken) {
  Step step{world_, gone_, comparison_, damper_, {}};
  take_in(taken.events, step);
  const auto unread = std::ranges::count(taken.events, std::string{"stream"}, &engine::RawEvent::type);
  if (taken.dropped + unread > 0) lost_some(taken.dropped + unread, step);
  for (const auto& held : damper_.due(clock_.now())) settle_held(held, step);
  compare_if_due(taken, step);
  auto written = commit(step);
  if (written) return {};
  world_ = std::move(step.before);
  gone_ = std::move(step.gone_before);
  comparison_ = std::move(step.comparison_before);
  damper_ = std::move(step.damper_before);
  return written;
}

void Keeper::run(std::stop_token stop) {
  Backoff backoff{100ms, 5000ms};
  Poke pause;
  while (!stop.stop_requested()) {
    auto taken = intake_.take(stop, kBatch, comparison_ ? kQuiet : std::chrono::milliseconds{kIdle});
    if (stop.stop_requested()) return;
    if (taken.connected) meet(*taken.connected);
    // A batch is not let go until it is written: what it says is said nowhere else.
    for (auto done = step(taken); !done && !stop.stop_requested(); done = step(taken)) {
      if (trouble_) trouble_(done.error());
      pause.wait(stop, backoff.next());
    }
    backoff.reset();
  }
}

}  // namespace berth::holder::events
