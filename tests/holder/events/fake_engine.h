#pragma once
// An engine that says what the test makes it say, keeps a history as Docker does, and can be away.
#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/json.h"
#include "holder/engine/engine.h"
#include "tests/support/bare_engine.h"

namespace berth::test {

using holder::engine::RawEvent;
using holder::engine::Summary;

/// What all connections to it share. Any thread.
class FakeMachine {
 public:
  void is_up(bool up) {
    change([&] {
      up_ = up;
      if (!up) ++generation_;
    });
  }
  /// The engine process is another one: its history is empty and streams are broken off.
  void restarts() {
    change([&] {
      history_.clear();
      ++generation_;
    });
  }
  void breaks_streams() {
    change([&] { ++generation_; });
  }
  void says(RawEvent event) {
    change([&] { history_.push_back(std::move(event)); });
  }
  void forgets(std::size_t count) {
    change([&] { history_.erase(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(count)); });
  }
  void has(Summary summary) {
    change([&] { containers_[summary.id] = std::move(summary); });
  }
  void lost(const std::string& id) {
    change([&] { containers_.erase(id); });
  }
  holder::engine::Kind kind = holder::engine::Kind::docker;

 private:
  friend class FakeEngine;
  template <class F>
  void change(F&& f) {
    {
      const std::scoped_lock lock{mutex_};
      f();
    }
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<RawEvent> history_;
  std::map<std::string, Summary> containers_;
  bool up_ = true;
  int generation_ = 0;
};

class FakeEngine final : public BareEngine {
 public:
  explicit FakeEngine(FakeMachine& machine) : machine_(machine) { info_.kind = machine.kind; }
  static Result<std::unique_ptr<Engine>> open(FakeMachine& machine) {
    const std::scoped_lock lock{machine.mutex_};
    if (!machine.up_) return fail(Errc::engine_unreachable, "engine socket fake: missing");
    return std::unique_ptr<Engine>{std::make_unique<FakeEngine>(machine)};
  }

  const holder::engine::EngineInfo& info() const override { return info_; }
  const std::string& socket() const override { return socket_; }
  Status ping() override { return {}; }
  Result<std::vector<Summary>> list() override {
    const std::scoped_lock lock{machine_.mutex_};
    if (!machine_.up_) return away();
    std::vector<Summary> list;
    for (const auto& [id, summary] : machine_.containers_) list.push_back(summary);
    return list;
  }
  Result<holder::engine::Inspected> inspect(const std::string& id) override {
    const std::scoped_lock lock{machine_.mutex_};
    if (!machine_.up_) return away();
    const auto found = machine_.containers_.find(id);
    if (found == machine_.containers_.end()) return fail(Errc::not_found, "no container " + id);
    holder::engine::Inspected inspected;
    inspected.summary = found->second;
    return inspected;
  }
  Status events(std::optional<Time> since, std::stop_token stop,
                const std::function<void(RawEvent)>& sink) override {
    std::unique_lock lock{machine_.mutex_};
    const int generation = machine_.generation_;
    std::size_t next = 0;
    while (!stop.stop_requested() && machine_.generation_ == generation) {
      for (; next < machine_.history_.size(); ++next) {
        if (!since || machine_.history_[next].at >= *since) sink(machine_.history_[next]);
      }
      machine_.changed_.wait(
          lock, stop, [&] { return machine_.history_.size() > next || machine_.generation_ != generation; });
    }
    return stop.stop_requested() ? Status{} : Status{away()};
  }
  Result<std::vector<RawEvent>> past_events(Time since, Time until) override {
    const std::scoped_lock lock{machine_.mutex_};
    std::vector<RawEvent> events;
    std::ranges::copy_if(machine_.history_, std::back_inserter(events),
                         [&](const auto& e) { return e.at >= since && e.at <= until; });
    return events;
  }

  // The events room asks for none of these.
  Result<holder::engine::EngineFacts> facts() override { return no(); }
  Result<holder::engine::Logs> logs(const std::string&, const holder::engine::LogQuery&) override {
    return no();
  }
  Result<std::vector<holder::engine::Stats>> stats(const std::vector<std::string>&) override { return no(); }
  Result<holder::engine::Created> create(const holder::client::ContainerSpec&) override { return no(); }
  Status start(const std::string&) override { return no(); }
  Status stop(const std::string&, std::chrono::seconds) override { return no(); }
  Status restart(const std::string&, std::chrono::seconds) override { return no(); }
  Status remove(const std::string&, bool, bool) override { return no(); }
  Status kill(const std::string&, std::string_view) override { return no(); }
  Status rename(const std::string&, const std::string&) override { return no(); }
  Status pull(const std::string&) override { return no(); }
  Result<std::vector<std::string>> differences(const std::string&,
                                               const holder::client::ContainerSpec&) override {
    return no();
  }
  Result<Image> image(const std::string&) override { return no(); }
  Result<Network> network(const std::string&) override { return no(); }
  Result<Volume> volume(const std::string&) override { return no(); }
  Status ensure_network(const std::string&, const std::map<std::string, std::string>&) override {
    return no();
  }
  Status ensure_volume(const std::string&, const std::map<std::string, std::string>&) override {
    return no();
  }

 private:
  static Error no() { return fail(Errc::failed, "not in this test"); }
  static Error away() { return fail(Errc::engine_unreachable, "engine socket fake: closed"); }
  FakeMachine& machine_;
  holder::engine::EngineInfo info_;
  std::string socket_ = "fake";
};

/// "2026-01-02T03:04:05.<ms>Z" of the test's day.
inline Time at_ms(int ms) {
  return parse_rfc3339("2026-01-02T03:04:05Z").value() + std::chrono::milliseconds{ms};
}

inline RawEvent raw(int ms, const std::string& action, const std::string& id,
                    std::map<std::string, std::string> more = {}) {
  RawEvent event;
  event.at = at_ms(ms);
  event.type = "container";
  event.action = action;
  event.id = id;
  event.attributes = std::move(more);
  event.attributes.emplace("name", "name-" + id);
  event.attributes.emplace("image", "image:1");
  return event;
}

inline Summary summary(const std::string& id, const std::string& state, int started_ms = -1,
                       int finished_ms = -1, int exit_code = 0) {
  Summary s;
  s.id = id;
  s.name = "name-" + id;
  s.names = {s.name};
  s.image = "image:1";
  s.state = state;
  s.created_at = to_rfc3339(at_ms(0));
  if (started_ms >= 0) s.started_at = to_rfc3339(at_ms(started_ms));
  if (finished_ms >= 0) s.finished_at = to_rfc3339(at_ms(finished_ms));
  s.exit_code = exit_code;
  return s;
}

}  // namespace berth::test
