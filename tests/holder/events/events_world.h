#pragma once
// The events of one machine over a fake engine and a real store, told as text.
#include <unistd.h>

#include <atomic>

#include "catch.h"
#include "holder/events/events.h"
#include "holder/events/ledger.h"
#include "store/outbox.h"
#include "tests/holder/events/fake_engine.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// A clock that a thread may read while the test moves it.
class SharedClock final : public Clock {
 public:
  Time now() const override { return Time{std::chrono::nanoseconds{now_.load()}}; }
  void set(Time time) { now_ = time.time_since_epoch().count(); }

 private:
  std::atomic<std::int64_t> now_ = at_ms(0).time_since_epoch().count();
};

struct EventsWorld {
  TempFolder folder;
  SharedClock clock;
  ScriptedSeam seam;
  FakeMachine machine;
  std::filesystem::path file = folder / "holder.db";
  std::size_t queue = 8192;
  holder::events::EngineState engine_state = {};

  std::unique_ptr<holder::events::Events> start(bus::Bus* bus = nullptr) { return start(bus, seam); }
  std::unique_ptr<holder::events::Events> start(bus::Bus* bus, Seam& through) {
    holder::events::EventsConfig config;
    config.machine = "alder";
    config.store = file;
    config.queue = queue;
    config.engine_state = engine_state;
    config.open_engine = [this] { return FakeEngine::open(machine); };
    auto started = holder::events::Events::start(std::move(config), bus, clock, through);
    if (!started) FAIL(started.error().detail);
    return std::move(started).value();
  }
  /// To look at; the faults are for the others.
  store::Store store() {
    auto opened = store::Store::open(file, store::Role::holder, clock, no_faults());
    if (!opened) FAIL(opened.error().detail);
    return std::move(opened).value();
  }
  std::string column(const std::string& sql) {
    auto opened = store();
    const auto table = opened.table(sql, {});
    if (!table) FAIL(table.error().detail);
    std::string text;
    for (const auto& row : table->rows) {
      text += text.empty() ? "" : " ";
      if (const auto* value = std::get_if<std::string>(&row.front()))
        text += *value;
      else if (const auto* number = std::get_if<std::int64_t>(&row.front()))
        text += std::to_string(*number);
      else
        text += "null";
    }
    return text;
  }
  /// "started:a ~died:a", in the order told.
  std::string told() {
    return column(
        "SELECT iif(json_extract(body, '$.inferred'), '~', '') || kind || coalesce(':' || container, '') "
        "FROM runtime_event ORDER BY seq");
  }
  std::string states() {
    return column("SELECT id || '=' || state FROM container WHERE gone_at IS NULL ORDER BY id");
  }

  /// Waits, bounded, until the query's answer is what is wanted, and answers what it is then.
  std::string until(const std::string& wanted, const std::function<std::string()>& what) {
    std::string now;
    for (int i = 0; i < 400 && (now = what()) != wanted; ++i) ::usleep(25'000);
    return now;
  }
  std::string told_becomes(const std::string& wanted) {
    return until(wanted, [this] { return told(); });
  }
};

inline holder::events::Subjects all_subjects() {
  holder::events::Subjects subjects;
  for (const auto* kind : {"created", "started", "stopped", "died", "removed", "health", "gap"}) {
    subjects[kind] = std::string{"mesh.alder.node-container-runtime.event."} + kind;
  }
  return subjects;
}

}  // namespace berth::test
