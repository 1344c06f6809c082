#include "migrate/releasing.h"

#include "migrate/containers.h"
#include "migrate/probe.h"

namespace berth::migrate {
namespace {

std::chrono::seconds time_to_prove(const Scene& scene) {
  return scene.fleet.release_deadline.value_or(scene.waits.release);
}

/// Waits until the host runs `version` and its trial is over. A host that went back to the old one in its
/// trial has failed; one that does not answer is restarting, until the watch's time is up.
Status wait_for_version(Scene& scene, const Work& work, const std::string& version) {
  const auto deadline = std::chrono::steady_clock::now() + time_to_prove(scene) + scene.waits.patience;
  std::string last = "it does not answer";
  for (int look = 0; std::chrono::steady_clock::now() < deadline; ++look) {
    const auto status = scene.port.ask(work.machine, {{"what", "status"}}, std::chrono::seconds{5});
    // A host between two releases may answer with a failure of its own; only the watch's time decides.
    if (!status) last = status.error().detail;
    if (status) {
      const auto runs = status->value("host_version", "");
      const auto trial = status->value("release", Json::object()).value("trial", Json{});
      const auto state =
          trial.is_object() && trial.value("version", "") == version ? trial.value("state", "") : "";
      last = "it runs " + runs + (state.empty() ? "" : ", the trial of " + version + " is " + state);
      if (runs == version && state != "waiting") return {};
      if (runs != version && state == "failed") {
        const auto cause = trial.value("cause", "");
        return fail(Errc::failed, work.machine + " has switched back to " + runs + ": " + version +
                                      " did not prove itself" + (cause.empty() ? "" : "; " + cause));
      }
    }
    scene.says(work.step, work.machine, "waits for " + version + ": " + last);
    if (!scene.pause(look))
      return fail(Errc::timeout, "stopped while " + work.machine + " was switching to " + version);
  }
  return fail(Errc::failed, work.machine + " does not run " + version + ": " + last);
}

Result<std::string> running_version(Scene& scene, const std::string& machine) {
  const auto status = TRY(status_of(scene, machine));
  return status.value("host_version", "");
}

std::string_view release_of(int step) { return step == 4 ? "with_holder" : "without_cli"; }

/// Before a switch: the version that runs, and where the reports that follow begin. A host that runs the
/// wanted version already was switched by an attempt whose end nobody saw: its reports so far count, and what
/// ran before is what its trial says.
Result<Json> before_switch(Scene& scene, const std::string& machine, const Json& status,
                           std::string_view wanted) {
  const auto runs = status.value("host_version", "");
  if (runs != wanted) {
    const auto end = TRY(scene.port.reports_end(machine));
    return Json{{"previous", runs}, {"reports_from", end}};
  }
  const auto trial = status.value("release", Json::object()).value("trial", Json{});
  const bool was_tried = trial.is_object() && trial.value("version", "") == runs;
  return Json{{"previous", was_tried ? trial.value("previous", runs) : runs}, {"reports_from", 1}};
}

}  // namespace

Status ready_for_release(Scene& scene, Work& work) {
  const auto status = TRY(status_of(scene, work.machine));
  const auto seat = TRY(scene.ask(work.machine, {{"what", "seat"}}));
  if (!seat.value("answering", false)) {
    return fail(Errc::holder_silent,
                work.machine + "'s holder does not answer: " + seat.value("cause", "no cause given"));
  }
  if (!seat.at("seat").value("held", false))
    return fail(Errc::seat_unheld, work.machine + "'s seat is not held");
  const auto snapshot = TRY(snapshot_of(scene, work.machine));
  work.found = TRY(before_switch(scene, work.machine, status, scene.fleet.version(release_of(work.step))));
  work.found["containers"] = snapshot["containers"];
  return {};
}

Status switch_release(Scene& scene, Work& work, std::string_view release) {
  const auto version = scene.fleet.version(release);
  const auto artifact = TRY(scene.fleet.artifact(release, work.machine));
  if (TRY(running_version(scene, work.machine)) != version) {
    scene.says(work.step, work.machine, "switch to " + version);
    const auto asked = scene.port.ask(work.machine,
                                      {{"what", "release"},
                                       {"action", "switch"},
                                       {"version", version},
                                       {"artifact", artifact.artifact},
                                       {"sha256", artifact.sha256},
                                       {"signature", artifact.signature},
                                       {"deadline_s", time_to_prove(scene).count()},
                                       {"token", scene.lease.token}},
                                      std::chrono::seconds{120});
    // Restarting, a host may be gone before its answer is.
    if (!asked && !is_silence(asked.error())) return asked.error();
  }
  return wait_for_version(scene, work, version);
}

Result<Json> prove_release(Scene& scene, Work& work, std::string_view version, std::string_view path) {
  scene.says(work.step, work.machine, "proof");
  const auto newest =
      TRY(newest_report(scene, work.machine, version, work.found.at("reports_from").get<std::uint64_t>()));
  const auto& report = newest.report;
  if (report.value("path", "") != path) {
    return fail(Errc::failed, work.machine + "'s host " + std::string{version} + " reports the path " +
                                  report.value("path", "none") + ", not " + std::string{path});
  }
  if (report.value("result", "") != "unchanged") {
    return fail(Errc::failed, work.machine + "'s apply under " + std::string{version} +
                                  " was not unchanged: " + report.dump());
  }
  const auto made = TRY(probe(scene, work.machine));
  if (made.value("path", "") != path)
    return fail(Errc::failed, work.machine + "'s probe went by " + made.value("path", "none") + ", not " +
                                  std::string{path});
  const auto snapshot = TRY(snapshot_of(scene, work.machine));
  const auto kinship = compare_containers(work.found.at("containers"), snapshot["containers"]);
  TRY(no_restarts(kinship, work.machine));
  const auto status = TRY(status_of(scene, work.machine));
  return Json{{"version", version},
              {"previous", work.found.at("previous")},
              {"path", path},
              {"report", report},
              {"reports_next", newest.next},
              {"probe", made},
              {"containers", kinship_document(kinship)},
              {"cli_path", status.value("cli_path", "")}};
}

Result<std::string> version_before(const Json& proof, const Work& work) {
  const auto version = proof.value("previous", "");
  if (!version.empty()) return version;
  return fail(Errc::conflict, work.machine + ": which version ran before step " + std::to_string(work.step) +
                                  " was lost with the operator's store; no report of it is in the stream, so there is none to go back to");
}

Result<Json> back_to(Scene& scene, Work& work, std::string_view version, std::string_view path) {
  const auto status = TRY(status_of(scene, work.machine));
  const auto snapshot = TRY(snapshot_of(scene, work.machine));
  work.found = TRY(before_switch(scene, work.machine, status, version));
  work.found["containers"] = snapshot["containers"];
  if (status.value("host_version", "") != version) {
    scene.says(work.step, work.machine, "switch back to " + std::string{version});
    const auto asked = scene.port.ask(
        work.machine,
        {{"what", "release"}, {"action", "back"}, {"version", version}, {"token", scene.lease.token}},
        std::chrono::seconds{120});
    if (!asked && !is_silence(asked.error())) return asked.error();
  }
  TRY(wait_for_version(scene, work, std::string{version}));
  return prove_release(scene, work, version, path);
}

}  // namespace berth::migrate
