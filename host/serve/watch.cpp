#include "host/serve/watch.h"

#include <condition_variable>
#include <mutex>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "holder/client/follow.h"
#include "host/serve/workers.h"

namespace berth::host::serve {
namespace {

constexpr std::chrono::seconds kAgain{1};
constexpr std::chrono::seconds kSilence{60};  // a heartbeat comes in between

void wait_a_second(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any nobody;
  std::unique_lock lock{mutex};
  nobody.wait_for(lock, stop, kAgain, [] { return false; });
}

/// A full queue has applies in it anyway, which look after every container.
void poke(Shared& shared, std::string container) {
  Task task;
  task.lost = std::move(container);
  static_cast<void>(shared.applies.put(std::move(task)));
}

}  // namespace

std::optional<std::string> lost_container(std::string_view line) {
  const auto event = Json::parse(line, nullptr, false);
  if (!event.is_object() || event.value("mesh_held", Json(false)) != Json(true)) return std::nullopt;
  const auto kind = event.value("kind", Json{});
  if (kind != Json("died") && kind != Json("removed")) return std::nullopt;
  const auto name = event.value("name", Json{});
  return name.is_string() ? std::optional{name.get<std::string>()} : std::nullopt;
}

void watch_worker(std::stop_token stop, Shared& shared) {
  const auto socket = shared.program.root + shared.config.holder_socket;
  bool gap = false;
  std::string said;
  while (!stop.stop_requested()) {
    const auto followed = holder::client::follow_events(
        socket, stop, kSilence,
        [&] {
          if (gap) poke(shared, "");
          gap = false;
          said.clear();
        },
        [&](std::string_view line) {
          if (auto container = lost_container(line)) poke(shared, std::move(*container));
        });
    if (followed) break;
    gap = true;
    const auto cause = to_text(followed.error());
    if (cause != said) log::warn("a container that goes is seen at the next apply only", {{"cause", cause}});
    said = cause;
    wait_a_second(stop);
  }
}

}  // namespace berth::host::serve
