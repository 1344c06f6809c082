#include "migrate/scene.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace berth::migrate {

void Scene::tell(const std::function<void(Observer&)>& what) {
  telling_.with([&](std::monostate&) { what(observer_); });
}

void Scene::says(int step, std::string_view machine, std::string_view what) {
  tell([&](Observer& observer) { observer.machine_does(step, machine, what); });
}

bool Scene::pause(int look) { return pause_between(waits, stop, look); }

bool pause_between(const Waits& waits, const std::stop_token& stop, int look) {
  constexpr std::chrono::milliseconds kShortest{10};
  const auto time = std::min(waits.poll, kShortest * (1 << std::min(look, 10)));
  std::mutex mutex;
  std::unique_lock lock{mutex};
  std::condition_variable_any never;
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

Result<Json> Scene::ask(std::string_view machine, const Json& request) {
  return ask_patiently(port, waits, stop, machine, request);
}

Result<Json> ask_patiently(Port& port, const Waits& waits, const std::stop_token& stop, std::string_view machine,
                           const Json& request) {
  const auto deadline = std::chrono::steady_clock::now() + waits.patience;
  for (int look = 0;; ++look) {
    auto answer = port.ask(machine, request, std::chrono::seconds{20});
    if (answer || !is_silence(answer.error())) return answer;
    if (std::chrono::steady_clock::now() >= deadline || !pause_between(waits, stop, look)) return answer;
  }
}

bool is_silence(const Error& error) { return error.code == Errc::unreachable || error.code == Errc::timeout; }

Result<Json> status_of(Scene& scene, std::string_view machine) {
  auto status = TRY(scene.ask(machine, {{"what", "status"}}));
  TRY(check_identity(scene.fleet, machine, status));
  return status;
}

Status check_identity(const FleetDocument& fleet, std::string_view machine, const Json& status) {
  const auto id = status.value("machine_id", "");
  const auto name = status.value("machine", "");
  const auto& wanted = fleet.machine(machine).machine_id;
  if (id == wanted && name == machine) return {};
  return fail(Errc::drift, std::string{machine} +
                               " is another machine than the fleet document means: it is " + name +
                               " with machine-id " + id + ", the document says " + wanted +
                               "; was it replaced or renamed?");
}

Result<Json> snapshot_of(Scene& scene, std::string_view machine) {
  auto snapshot = TRY(scene.ask(machine, {{"what", "snapshot"}}));
  TRY(check_snapshot(machine, snapshot));
  return snapshot;
}

Status check_snapshot(std::string_view machine, const Json& snapshot) {
  for (const auto* member : {"file", "flags", "unit", "engine"}) {
    if (!snapshot.value(member, Json{}).is_object())
      return fail(Errc::failed, std::string{machine} + "'s snapshot has no " + member);
  }
  for (const auto* member : {"containers", "keys", "records"}) {
    if (!snapshot.value(member, Json{}).is_array())
      return fail(Errc::failed, std::string{machine} + "'s snapshot has no " + member);
  }
  return {};
}

}  // namespace berth::migrate
