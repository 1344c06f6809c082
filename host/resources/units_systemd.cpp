// The only file that sees sd-bus.
#include <systemd/sd-bus.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>

#include "base/file.h"
#include "base/owned.h"
#include "base/process.h"
#include "host/resources/units.h"

namespace berth::host::resources {
namespace {

using Bus = CPtr<sd_bus, sd_bus_flush_close_unref>;
using Message = CPtr<sd_bus_message, sd_bus_message_unref>;
using Slot = CPtr<sd_bus_slot, sd_bus_slot_unref>;
using std::chrono::seconds;

constexpr const char* kSystemd = "org.freedesktop.systemd1";
constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";
constexpr const char* kUnit = "org.freedesktop.systemd1.Unit";
constexpr const char* kService = "org.freedesktop.systemd1.Service";
constexpr std::uint64_t kAnswerWithinUs = 60'000'000;  // one answer of the manager; its own reload takes seconds
constexpr seconds kJobWithin{150};                     // a job: beyond systemd's own 90 s for a start

std::uint64_t micros(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
}

struct BusError {
  sd_bus_error raw = SD_BUS_ERROR_NULL;
  BusError() = default;
  BusError(const BusError&) = delete;
  BusError& operator=(const BusError&) = delete;
  ~BusError() { sd_bus_error_free(&raw); }
};

/// The failure of a call: a lost or silent bus is `unreachable`, the rest keeps systemd's words.
Error call_error(const std::string& doing, int code, const BusError& error) {
  const std::string said = error.raw.message != nullptr ? error.raw.message : std::strerror(-code);
  const std::string name = error.raw.name != nullptr ? error.raw.name : "";
  const bool lost = code == -ECONNRESET || code == -ENOTCONN || code == -ETIMEDOUT ||
                    name == SD_BUS_ERROR_NO_REPLY || name == SD_BUS_ERROR_SERVICE_UNKNOWN;
  const bool absent = name == "org.freedesktop.systemd1.NoSuchUnit" || name == SD_BUS_ERROR_FILE_NOT_FOUND;
  return fail(lost ? Errc::unreachable : absent ? Errc::not_found : Errc::failed, doing + ": " + said);
}

class SystemdUnits final : public Units {
 public:
  explicit SystemdUnits(Seam& seam) : seam_(seam) {}

  Result<UnitState> state(const std::string& unit) override;
  Status start(const std::string& unit) override { return job("start", "StartUnit", unit); }
  Status stop(const std::string& unit) override { return job("stop", "StopUnit", unit); }
  Status restart(const std::string& unit) override { return job("restart", "RestartUnit", unit); }
  Status begin_restart(const std::string& unit) override {
    TRY(seam_.before("unit.restart", unit));
    TRY(queue_job("restart", "RestartUnit", unit));
    return {};
  }
  Status reload(const std::string& unit) override;
  Status enable(const std::string& unit) override;
  Status disable(const std::string& unit) override;
  Status mask(const std::string& unit) override;
  Status unmask(const std::string& unit) override;
  Status reset_failed(const std::string& unit) override;
  Status daemon_reload() override;
  Result<std::vector<UnitFile>> files(const std::string& unit) override;
  std::string journal_since(const std::string& unit, Time since) override;

 private:
  Status connect();
  Status guarded(int code, const std::string& doing, const BusError& error);
  Result<std::string> path_of(const std::string& unit);
  Result<std::string> text(const std::string& path, const char* interface, const char* name);
  template <class T>
  Result<T> number(const std::string& path, const char* interface, const char* name, char type);
  Result<bool> has_job(const std::string& path);
  Status add_service_state(const std::string& path, UnitState& state);
  Status job(const std::string& verb, const char* method, const std::string& unit);
  Result<std::string> queue_job(const std::string& verb, const char* method, const std::string& unit);
  Result<std::string> job_result(const std::string& job, const std::string& doing);
  static int job_removed(sd_bus_message* message, void* self, sd_bus_error*);

  Seam& seam_;
  std::map<std::string, std::string> ended_;  // job path → its result, as JobRemoved tells
  Bus bus_;
  Slot jobs_;                                 // before the bus goes, the match does
};

Status SystemdUnits::connect() {
  if (bus_) return {};
  sd_bus* raw = nullptr;
  if (const int code = sd_bus_open_system(&raw); code < 0) {
    return fail(Errc::unreachable, std::string{"the service manager cannot be asked: the system bus does not answer: "} +
                                       std::strerror(-code));
  }
  Bus bus{raw};
  sd_bus_set_method_call_timeout(raw, kAnswerWithinUs);
  sd_bus_slot* slot = nullptr;
  int code = sd_bus_match_signal(raw, &slot, kSystemd, kManagerPath, kManager, "JobRemoved", &job_removed, this);
  Slot jobs{slot};
  BusError error;
  if (code >= 0) code = sd_bus_call_method(raw, kSystemd, kManagerPath, kManager, "Subscribe", &error.raw, nullptr, "");
  if (code < 0) return call_error("subscribe to the service manager", code, error);
  bus_ = std::move(bus);
  jobs_ = std::move(jobs);
  return {};
}

/// Turns a failed call into its error; after a lost connection the next question connects again.
Status SystemdUnits::guarded(int code, const std::string& doing, const BusError& error) {
  if (code >= 0) return {};
  auto failure = call_error(doing, code, error);
  if (failure.code == Errc::unreachable) {
    jobs_.reset();
    bus_.reset();
  }
  return failure;
}

int SystemdUnits::job_removed(sd_bus_message* message, void* self, sd_bus_error*) {
  std::uint32_t id = 0;
  const char* job = nullptr;
  const char* unit = nullptr;
  const char* result = nullptr;
  if (sd_bus_message_read(message, "uoss", &id, &job, &unit, &result) > 0) {
    static_cast<SystemdUnits*>(self)->ended_[job] = result;
  }
  return 0;
}

Result<std::string> SystemdUnits::path_of(const std::string& unit) {
  TRY(connect());
  BusError error;
  sd_bus_message* raw = nullptr;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "LoadUnit", &error.raw, &raw, "s",
                                 unit.c_str()),
              "look at the unit " + unit, error));
  const Message reply{raw};
  const char* path = nullptr;
  if (const int code = sd_bus_message_read(raw, "o", &path); code < 0) {
    return call_error("read where the unit " + unit + " is", code, error);
  }
  return std::string{path};
}

Result<std::string> SystemdUnits::text(const std::string& path, const char* interface, const char* name) {
  BusError error;
  char* value = nullptr;
  TRY(guarded(sd_bus_get_property_string(bus_.get(), kSystemd, path.c_str(), interface, name, &error.raw, &value),
              std::string{"read "} + name, error));
  std::string text{value};
  ::free(value);
  return text;
}

template <class T>
Result<T> SystemdUnits::number(const std::string& path, const char* interface, const char* name, char type) {
  BusError error;
  T value{};
  TRY(guarded(sd_bus_get_property_trivial(bus_.get(), kSystemd, path.c_str(), interface, name, &error.raw, type, &value),
              std::string{"read "} + name, error));
  return value;
}

Result<bool> SystemdUnits::has_job(const std::string& path) {
  BusError error;
  sd_bus_message* raw = nullptr;
  TRY(guarded(sd_bus_get_property(bus_.get(), kSystemd, path.c_str(), kUnit, "Job", &error.raw, &raw, "(uo)"), "read Job",
              error));
  const Message reply{raw};
  std::uint32_t id = 0;
  const char* job = nullptr;
  if (const int code = sd_bus_message_read(raw, "(uo)", &id, &job); code < 0) return call_error("read Job", code, error);
  return id != 0;
}

Result<UnitState> SystemdUnits::state(const std::string& unit) {
  const auto path = TRY(path_of(unit));
  UnitState state;
  state.load = TRY(text(path, kUnit, "LoadState"));
  state.active = TRY(text(path, kUnit, "ActiveState"));
  state.sub = TRY(text(path, kUnit, "SubState"));
  state.file = TRY(text(path, kUnit, "UnitFileState"));
  state.stale = TRY(number<int>(path, kUnit, "NeedDaemonReload", 'b')) != 0;
  state.queued = TRY(has_job(path));
  state.started_us = static_cast<std::int64_t>(TRY(number<std::uint64_t>(path, kUnit, "ActiveEnterTimestamp", 't')));
  if (unit.ends_with(".service")) TRY(add_service_state(path, state));
  return state;
}

Status SystemdUnits::add_service_state(const std::string& path, UnitState& state) {
  state.main_pid = TRY(number<std::uint32_t>(path, kService, "MainPID", 'u'));
  state.restarts = TRY(number<std::uint32_t>(path, kService, "NRestarts", 'u'));
  state.exit_status = TRY(number<std::int32_t>(path, kService, "ExecMainStatus", 'i'));
  state.result = TRY(text(path, kService, "Result"));
  return {};
}

Result<std::string> SystemdUnits::job_result(const std::string& job, const std::string& doing) {
  const auto deadline = std::chrono::steady_clock::now() + kJobWithin;
  while (!ended_.contains(job)) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return fail(Errc::timeout, doing + " did not end within " + std::to_string(kJobWithin.count()) + " s");
    const int code = sd_bus_process(bus_.get(), nullptr);
    if (code == 0) sd_bus_wait(bus_.get(), micros(deadline - now));
    if (code < 0) TRY(guarded(code, doing, BusError{}));
  }
  return ended_[job];
}

/// The job's path.
Result<std::string> SystemdUnits::queue_job(const std::string& verb, const char* method, const std::string& unit) {
  TRY(connect());
  ended_.clear();
  BusError error;
  sd_bus_message* raw = nullptr;
  const auto doing = verb + " " + unit;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, method, &error.raw, &raw, "ss",
                                 unit.c_str(), "replace"),
              doing, error));
  const Message reply{raw};
  const char* job = nullptr;
  if (const int code = sd_bus_message_read(raw, "o", &job); code < 0) return call_error(doing, code, error);
  return std::string{job};
}

Status SystemdUnits::job(const std::string& verb, const char* method, const std::string& unit) {
  TRY(seam_.before("unit." + verb, unit));
  const auto doing = verb + " " + unit;
  const auto result = TRY(job_result(TRY(queue_job(verb, method, unit)), doing));
  if (result == "done") return {};
  const auto after = TRY(state(unit));
  return fail(result == "timeout" ? Errc::timeout : Errc::failed,
              doing + ": its job ended as " + result + "; the unit is " + after.active + " (" + after.sub + "), result " +
                  after.result + ", last exit status " + std::to_string(after.exit_status));
}

Status SystemdUnits::reload(const std::string& unit) {
  const auto path = TRY(path_of(unit));
  const int can = TRY(number<int>(path, kUnit, "CanReload", 'b'));
  if (can == 0) return fail(Errc::conflict, "reload " + unit + ": the unit has no way to reload");
  return job("reload", "ReloadUnit", unit);
}

Status SystemdUnits::enable(const std::string& unit) {
  TRY(seam_.before("unit.enable", unit));
  TRY(connect());
  BusError error;
  sd_bus_message* raw = nullptr;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "EnableUnitFiles", &error.raw, &raw,
                                 "asbb", 1, unit.c_str(), 0, 0),
              "enable " + unit, error));
  const Message reply{raw};
  int installable = 0;
  sd_bus_message_read(raw, "b", &installable);
  TRY(daemon_reload());
  if (installable == 0) return fail(Errc::conflict, "enable " + unit + ": the unit says nothing under [Install]");
  return {};
}

Status SystemdUnits::disable(const std::string& unit) {
  TRY(seam_.before("unit.disable", unit));
  TRY(connect());
  BusError error;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "DisableUnitFiles", &error.raw, nullptr,
                                 "asb", 1, unit.c_str(), 0),
              "disable " + unit, error));
  return daemon_reload();
}

Status SystemdUnits::mask(const std::string& unit) {
  TRY(seam_.before("unit.mask", unit));
  TRY(connect());
  BusError error;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "MaskUnitFiles", &error.raw, nullptr,
                                 "asbb", 1, unit.c_str(), 0, 0),
              "mask " + unit, error));
  return daemon_reload();
}

Status SystemdUnits::unmask(const std::string& unit) {
  TRY(seam_.before("unit.unmask", unit));
  TRY(connect());
  BusError error;
  TRY(guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "UnmaskUnitFiles", &error.raw, nullptr,
                                 "asb", 1, unit.c_str(), 0),
              "unmask " + unit, error));
  return daemon_reload();
}

Status SystemdUnits::reset_failed(const std::string& unit) {
  TRY(seam_.before("unit.reset_failed", unit));
  TRY(connect());
  BusError error;
  auto done = guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "ResetFailedUnit", &error.raw,
                                         nullptr, "s", unit.c_str()),
                      "reset " + unit, error);
  if (!done && done.error().code == Errc::not_found) return {};  // not loaded: nothing failed
  return done;
}

Status SystemdUnits::daemon_reload() {
  TRY(seam_.before("unit.daemon_reload", "systemd"));
  TRY(connect());
  BusError error;
  return guarded(sd_bus_call_method(bus_.get(), kSystemd, kManagerPath, kManager, "Reload", &error.raw, nullptr, ""),
                 "reload the service manager", error);
}

Result<std::vector<UnitFile>> SystemdUnits::files(const std::string& unit) {
  const auto path = TRY(path_of(unit));
  const auto fragment = TRY(text(path, kUnit, "FragmentPath"));
  if (fragment.empty()) return fail(Errc::not_found, "there is no unit file of " + unit);
  auto content = TRY(read_file(fragment));
  std::vector<UnitFile> files{{fragment, std::move(content)}};
  BusError error;
  char** raw = nullptr;
  TRY(guarded(sd_bus_get_property_strv(bus_.get(), kSystemd, path.c_str(), kUnit, "DropInPaths", &error.raw, &raw),
              "read the drop-ins of " + unit, error));
  std::vector<std::string> drop_ins;
  for (char** one = raw; one != nullptr && *one != nullptr; ++one) {
    drop_ins.emplace_back(*one);
    ::free(*one);
  }
  ::free(raw);
  for (const auto& drop_in : drop_ins) {
    content = TRY(read_file(drop_in));
    files.push_back({drop_in, content});
  }
  return files;
}

/// What the unit's newest process wrote itself: the one before it wrote its last lines in the same moment, and the last
/// word about a unit that failed is the service manager's.
std::string SystemdUnits::journal_since(const std::string& unit, Time since) {
  auto from = std::chrono::duration_cast<std::chrono::microseconds>(since.time_since_epoch()).count();
  if (const auto path = path_of(unit)) {
    const auto began = number<std::uint64_t>(*path, kService, "ExecMainStartTimestamp", 't');
    if (began) from = std::max(from, static_cast<std::int64_t>(*began));
  }
  const auto asked = run_process({"journalctl", "--no-pager", "-q", "-o", "cat", "-n", "50", "_SYSTEMD_UNIT=" + unit, "--since",
                                  "@" + std::to_string(from / 1'000'000) + "." + std::to_string(1'000'000 + from % 1'000'000).substr(1)},
                                 std::chrono::seconds{5}, seam_);
  return asked && asked->exit_status == 0 ? asked->out : std::string{};
}

}  // namespace

std::unique_ptr<Units> make_units(Seam& seam) { return std::make_unique<SystemdUnits>(seam); }

}  // namespace berth::host::resources
