#include "host/release/switch.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/process.h"
#include "host/apply/accept.h"
#include "host/apply/seat.h"
#include "host/records/pushes.h"
#include "host/release/cause.h"
#include "host/release/link.h"
#include "host/release/stager.h"
#include "host/release/trial.h"

namespace berth::host::release {
namespace {

namespace fs = std::filesystem;

struct Wanted {
  std::string action, version;
  Json artifact;
  std::int64_t deadline_s = 0, token = 0;
};

Result<Wanted> parse_request(const Json& request) {
  Fields f{request, ""};
  Wanted wanted;
  f.text("what");
  wanted.action = f.one_of("action", {"switch", "back"}, "");
  const bool back = wanted.action == "back";
  wanted.version = back ? f.text("version", "") : f.text("version");
  for (const auto* key : {"artifact", "sha256", "signature"}) {
    wanted.artifact[key] = back ? f.text(key, "") : f.text(key);
  }
  wanted.deadline_s = f.integer("deadline_s", 5, 3600, 120);
  wanted.token = f.integer("token", 0, INT64_MAX);
  TRY(f.finish());
  return wanted;
}

Status check_token(const Wanted& wanted, store::Store& store) {
  const auto kept = TRY(document_setting(store, "token"));
  const auto highest = kept.is_number_integer() ? kept.get<std::int64_t>() : 0;
  if (wanted.token >= highest) return {};
  return fail_field(Errc::stale, "token",
                    "a runner with token " + std::to_string(highest) + " was here; this one has " +
                        std::to_string(wanted.token));
}

/// A switch stages; a back-out goes to the version named, or to the one the last trial came from.
Result<fs::path> find_folder(const Wanted& wanted, store::Store& store, const apply::Site& site,
                             const Places& places) {
  if (wanted.action == "switch") return fs::path{TRY(site.stager->stage(wanted.artifact, wanted.version))};
  auto version = wanted.version;
  if (version.empty()) {
    const auto trial = TRY(read_trial(store));
    if (!trial)
      return fail_field(Errc::not_found, "version",
                        "no release was switched here, so there is none to go back to");
    version = trial->previous;
  }
  TRY(check_version(version));
  return places.releases / version;
}

/// A program that does not start here, or writes a store this one could not open again, is not switched to.
Status check_starts(const fs::path& folder, const ReleaseFacts& facts, Seam& seam) {
  const auto program = (folder / "bin" / "berth-host").native();
  const auto said = TRY(run_checked({program, "schema-version"}, std::chrono::seconds{20}, seam));
  const auto major = std::to_string(store::schema_version() / 1000);
  if (said.substr(0, said.find('.')) == major) return {};
  return fail(Errc::conflict, "release " + facts.version + " has a store of schema " + said.substr(0, 20) +
                                  ", this one of major " + major +
                                  ": switching back would find a store it cannot open");
}

Status start_watch(const Trial& trial, const apply::Site& site, const Places& places) {
  const fs::path unit = places.root / ("etc/systemd/system/" + std::string{kWatchUnit});
  const auto text = watch_unit_text(fs::path{trial.previous_folder} / "bin" / "berth-host", places.config);
  TRY(write_file(unit, text, 0644, site.seam));
  TRY(site.units.daemon_reload());
  TRY(site.units.reset_failed(kWatchUnit));
  TRY(site.units.enable(kWatchUnit));
  return site.units.restart(kWatchUnit);
}

}  // namespace

std::string watch_unit_text(const fs::path& program, const fs::path& config) {
  return "[Unit]\nDescription=berth: goes back to the last release unless the new one proves itself\n"
         "StartLimitIntervalSec=0\n\n"
         "[Service]\nType=exec\nExecStart=" +
         program.native() + " --config " + config.native() +
         " watch-release\n"
         "Restart=on-failure\nRestartSec=1\n\n[Install]\nWantedBy=multi-user.target\n";
}

Result<Json> switch_release(const Json& request, store::Store& store, const apply::Site& site,
                            const Places& places) {
  const auto wanted = TRY(parse_request(request));
  TRY(check_token(wanted, store));
  const auto current = TRY(link_target(places.link()));
  const auto folder = TRY(find_folder(wanted, store, site, places));
  const auto facts = TRY(read_release(folder));
  Trial trial{facts.version, folder.native(), current.filename().native(), current.native(), "", "waiting"};
  const Json answer = {{"accepted", true}, {"version", trial.version}, {"previous", trial.previous}};
  if (fs::weakly_canonical(current) == fs::weakly_canonical(folder))
    return answer;  // asked again, or there already
  if (const auto open = TRY(read_trial(store)); open && open->state == "waiting" &&
                                                open->version != trial.version &&
                                                site.clock.now() < TRY(parse_rfc3339(open->deadline))) {
    return fail(Errc::busy, "release " + open->version + " is on trial until " + open->deadline);
  }
  TRY(check_starts(folder, facts, site.seam));
  trial.deadline = to_rfc3339(site.clock.now() + std::chrono::seconds{wanted.deadline_s});
  TRY(store.transaction([&]() -> Status {
    TRY(set_document_setting(store, "token", wanted.token));
    if (!facts.holder_path) TRY(apply::clear_latch(store));
    TRY(keep_cause(store, ""));
    return write_trial(store, trial);
  }));
  if (auto watching = start_watch(trial, site, places); !watching) {
    trial.state = "failed";
    TRY(write_trial(store, trial));
    return std::move(watching).error().while_doing("start " + std::string{kWatchUnit});
  }
  return answer;
}

}  // namespace berth::host::release
