#include <thread>

#include "base/json.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// start, stop, restart, remove, kill, rename.
namespace berth::holder::engine {
namespace {

constexpr int kStopAttempts = 3;
constexpr int kRemovalAttempts = 10;
constexpr std::chrono::milliseconds kRevivalWatch{300};
constexpr std::chrono::milliseconds kRemovalPoll{100};

std::string grace_query(std::chrono::seconds grace) { return "?t=" + std::to_string(grace.count()); }

bool runs(const Inspected& container) {
  const auto& state = container.summary.state;
  return state == "running" || state == "paused" || state == "restarting";
}

}  // namespace

Error HttpEngine::explain(const Answer& answer, const std::string& id, std::string_view doing,
                          bool state_conflicts) {
  auto error = refusal(answer, std::string{doing} + " " + id);
  const auto now = inspect(id);
  if (!now) {
    if (now.error().code == Errc::not_found) error.code = Errc::not_found;
    return error;
  }
  // A 404 about a container that is there is about something in it: its command, its network.
  if (error.code == Errc::not_found) error.code = Errc::engine_refused;
  if (state_conflicts && answer.status == 500) {
    const auto& state = now->summary.state;
    const bool idle = state == "created" || state == "exited" || state == "dead";
    const bool conflict = doing == "start"    ? state == "paused" || state == "removing"
                          : doing == "remove" ? !idle
                                              : idle;
    if (conflict) {
      error.code = Errc::conflict;
      error.detail += " (it is " + state + ")";
    }
  }
  return error;
}

Status HttpEngine::start(const std::string& id) {
  const auto answer = TRY(act("engine.start", {.method = "POST", .target = container(id, "/start")}, id));
  if (answer.ok()) return {};
  if (answer.status != 304) return explain(answer, id, "start", true);
  const auto now = TRY(inspect(id));  // 304 means it ran at that instant: a removal may be underway
  if (runs(now)) return {};
  return fail(Errc::conflict,
              "start " + id + ": the engine says it runs already, and it is " + now.summary.state);
}

/// One stop; true when the container stays stopped.
Result<bool> HttpEngine::stop_once(const std::string& id, std::chrono::seconds grace) {
  const auto answer = TRY(
      act("engine.stop",
          {.method = "POST", .target = container(id, "/stop" + grace_query(grace)), .limit = kBound + grace},
          id));
  if (!answer.ok() && answer.status != 304) return explain(answer, id, "stop", true);
  const auto seen = inspect(id);
  if (!seen && seen.error().code == Errc::not_found) return true;  // it removes itself at its end
  const auto now = TRY(seen);
  if (runs(now)) return false;
  if (!may_revive(now)) return true;
  std::this_thread::sleep_for(kRevivalWatch);
  const auto later = TRY(inspect(id));
  return !runs(later) && later.summary.restarts == now.summary.restarts &&
         later.summary.started_at == now.summary.started_at;
}

Status HttpEngine::stop(const std::string& id, std::chrono::seconds grace) {
  TRY(make_stoppable(id));
  for (int attempt = 0; attempt < kStopAttempts; ++attempt) {
    if (TRY(stop_once(id, grace))) return {};
  }
  return fail(Errc::conflict, "stop " + id + ": the engine says stopped, and it runs again");
}

Status HttpEngine::restart(const std::string& id, std::chrono::seconds grace) {
  TRY(make_stoppable(id));
  const auto answer = TRY(act(
      "engine.restart",
      {.method = "POST", .target = container(id, "/restart" + grace_query(grace)), .limit = kBound + grace},
      id));
  if (answer.ok()) return {};
  return explain(answer, id, "restart", false);
}

/// While it is killed first, a container being removed still says running: `force` waits through that too.
Status HttpEngine::wait_until_gone(const std::string& id, bool force) {
  const auto until = std::chrono::steady_clock::now() + kBound;
  while (std::chrono::steady_clock::now() < until) {
    const auto now = inspect(id);
    if (!now && now.error().code == Errc::not_found) return {};
    if (!now) return now.error();
    const auto& state = now->summary.state;
    if (!force && state != "removing" && state != "dead")
      return fail(Errc::conflict, "remove " + id + ": it is " + state);
    std::this_thread::sleep_for(kRemovalPoll);
  }
  return fail(Errc::timeout, "remove " + id + ": still being removed after the time bound");
}

/// A forced removal stops the container first, and a restart policy may start it behind its back: what was not
/// done for that reason is asked for once more.
Result<Answer> HttpEngine::ask_removal(const std::string& id, bool force, bool volumes) {
  const auto query = url_query({{"force", force ? "1" : ""}, {"v", volumes ? "1" : ""}});
  const Call call{.method = "DELETE", .target = container(id, query)};
  auto answer = TRY(act("engine.remove", call, id));
  for (int again = 1; force && answer.status == 500 && again < kRemovalAttempts; ++again) {
    const auto now = inspect(id);
    if (!now || !may_revive(*now)) break;
    answer = TRY(act("engine.remove", call, id));
  }
  return answer;
}

Status HttpEngine::remove(const std::string& id, bool force, bool volumes) {
  const auto answer = TRY(ask_removal(id, force, volumes));
  if (answer.ok()) return {};
  if (answer.status != 409 && answer.status != 500) return explain(answer, id, "remove", true);
  const auto now = inspect(id);
  if (!now && now.error().code == Errc::not_found) return {};  // gone, whatever failed of its network behind it
  if (answer.status == 500) return explain(answer, id, "remove", true);
  // 409 also says that a removal is underway: that one is waited for
  const bool going = now && (now->summary.state == "removing" || now->summary.state == "dead");
  return force || going ? wait_until_gone(id, force) : Status{explain(answer, id, "remove", true)};
}

Status HttpEngine::kill(const std::string& id, std::string_view signal) {
  const auto query = url_query({{"signal", std::string{signal}}});
  const auto answer =
      TRY(act("engine.kill", {.method = "POST", .target = container(id, "/kill" + query)}, id));
  if (answer.ok()) return {};
  return explain(answer, id, "kill", true);
}

Status HttpEngine::rename(const std::string& id, const std::string& name) {
  const auto query = url_query({{"name", name}});
  const auto answer =
      TRY(act("engine.rename", {.method = "POST", .target = container(id, "/rename" + query)}, id));
  if (answer.ok()) return {};
  auto error = explain(answer, id, "rename", false);
  if (const auto other = inspect(name); other && other->summary.id != id) error.code = Errc::conflict;
  return error;
}

}  // namespace berth::holder::engine
