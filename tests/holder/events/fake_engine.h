#pragma once
// An engine that says what the test makes it say, keeps a history as Docker does, and can be away.
#include <algorithm>
#include <condition_variable>
#include <functional>
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

/// What all connections to it share. Any thread. A list is never ahead of what was said: as far as a test
/// says what happens, there is no moment at which the one is there and the other is not.
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
      told_ = 0;
      ++generation_;
    });
  }
  void breaks_streams() {
    change([&] { ++generation_; });
  }
  /// It happens, and the engine says so.
  void says(RawEvent event) {
    change([&] {
      happen(event);
      history_.push_back(std::move(event));
    });
  }
  /// It says something that changes nothing any more.
  void mutters(RawEvent event) {
    change([&] { history_.push_back(std::move(event)); });
  }
  void forgets(std::size_t count) {
    change([&] {
      history_.erase(history_.begin(), history_.begin() + static_cast<std::ptrdiff_t>(count));
      told_ -= std::min(told_, count);
    });
  }
  /// It is so, and nothing was said of it.
  void has(Summary summary) {
    change([&] { containers_[summary.id] = std::move(summary); });
  }
  void lost(const std::string& id) {
    change([&] { containers_.erase(id); });
  }
  /// It is in the list, without times, and the engine cannot tell more of it.
  void cannot_tell_of(const std::string& id) {
    change([&] {
      untold_ = id;
      containers_[id].started_at.clear();
    });
  }
  /// Everything said so far has reached the stream's reader; false when it has not within some seconds.
  bool everything_is_told() {
    std::unique_lock lock{mutex_};
    return changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return all_told(); });
  }
  int streams_opened() {
    const std::scoped_lock lock{mutex_};
    return opened_;
  }
  /// Runs once, when a list is asked for, or when it has been made and not answered yet.
  void at_next_list(bool made, std::function<void()> then) {
    change([&] { (made ? when_listed_ : when_asked_) = std::move(then); });
  }
  holder::engine::Kind kind = holder::engine::Kind::docker;

 private:
  friend class FakeEngine;
  void run_once(std::function<void()>& then) {
    std::function<void()> what;
    change([&] { what = std::exchange(then, nullptr); });
    if (what) what();
  }
  template <class F>
  void change(F&& f) {
    {
      const std::scoped_lock lock{mutex_};
      f();
    }
    changed_.notify_all();
  }
  void happen(const RawEvent& event);
  bool all_told() const { return streaming_ && told_ == history_.size(); }
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<RawEvent> history_;
  std::size_t told_ = 0;  // of the history, to the stream
  bool streaming_ = false, left_ = false;
  int opened_ = 0;
  std::function<void()> when_asked_, when_listed_;
  std::map<std::string, Summary> containers_;
  std::string untold_;
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
    machine_.run_once(machine_.when_asked_);
    auto listed = list_now();
    machine_.run_once(machine_.when_listed_);
    return listed;
  }
  Result<std::vector<Summary>> list_now() {
    std::unique_lock lock{machine_.mutex_};
    machine_.changed_.wait_for(lock, std::chrono::seconds{5},
                               [&] { return machine_.all_told() || machine_.left_ || !machine_.up_; });
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
    if (id != machine_.untold_) inspected.document = std::make_shared<const Json>();
    return inspected;
  }
  Result<std::vector<holder::engine::Inspected>> inspect_all(const std::vector<std::string>& ids) override {
    std::vector<holder::engine::Inspected> all;
    for (const auto& id : ids) {
      auto seen = inspect(id);
      if (!seen && seen.error().code == Errc::not_found) continue;
      all.push_back(TRY(std::move(seen)));
    }
    return all;
  }
  Status events(std::optional<Time> since, std::stop_token stop,
                const std::function<void(RawEvent)>& sink) override {
    std::unique_lock lock{machine_.mutex_};
    const int generation = machine_.generation_;
    auto& next = machine_.told_;
    next = 0;
    machine_.streaming_ = true;
    ++machine_.opened_;
    sink({.at = {}, .type = "stream", .action = "open", .id = {}, .attributes = {}});
    machine_.left_ = false;
    while (!stop.stop_requested() && machine_.generation_ == generation) {
      for (; next < machine_.history_.size(); ++next) {
        if (!since || machine_.history_[next].at >= *since) sink(machine_.history_[next]);
      }
      machine_.changed_.notify_all();  // a list may be waiting for this
      machine_.changed_.wait(
          lock, stop, [&] { return machine_.history_.size() > next || machine_.generation_ != generation; });
    }
    machine_.streaming_ = false;
    machine_.left_ = stop.stop_requested();
    machine_.changed_.notify_all();
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

inline void FakeMachine::happen(const RawEvent& event) {
  if (event.type != "container") return;
  const auto at = to_rfc3339(event.at);
  auto& seen = containers_[event.id];
  seen.id = event.id;
  seen.name = event.attributes.at("name");
  seen.image = event.attributes.at("image");
  if (const auto held = event.attributes.find("mesh-host.id"); held != event.attributes.end())
    seen.assignment = held->second;
  if (seen.state.empty() || event.action == "create") seen.state = "created";
  if (seen.created_at.empty()) seen.created_at = at;
  if (event.action == "start") {
    seen.state = "running";
    seen.started_at = at;
  }
  if (event.action == "die") {
    seen.state = "exited";
    seen.finished_at = at;
    const auto code = event.attributes.find("exitCode");
    seen.exit_code = code == event.attributes.end() ? 0 : std::stoi(code->second);
  }
  if (event.action == "destroy" || event.action == "attach") containers_.erase(event.id);
}

}  // namespace berth::test
