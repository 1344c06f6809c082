#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/seam.h"

namespace berth::host::resources {

/// A unit as systemd has it. A unit that is not there has load "not-found", active "inactive".
struct UnitState {
  std::string load = "not-found";     // loaded, not-found, masked, bad-setting, error
  std::string active = "inactive";    // active, reloading, inactive, failed, activating, deactivating
  std::string sub;                    // running, dead, auto-restart, …
  std::string file;                   // enabled, disabled, static, masked, …; empty when there is no unit file
  std::int64_t main_pid = 0;
  std::int64_t restarts = 0;
  std::string result;                 // success, exit-code, signal, watchdog, …
  std::int64_t exit_status = 0;       // of the last main process
  std::int64_t started_us = 0;        // when it last became active, microseconds of the wall clock; 0: never
  bool queued = false;                // a job of the service manager is to change it
  bool stale = false;                 // its files changed and systemd has not read them again
  bool exists() const { return load != "not-found"; }
  bool is_running() const { return active == "active" || active == "reloading" || active == "activating"; }
  bool is_enabled() const { return file == "enabled"; }
  bool is_masked() const { return load == "masked"; }
};

/// One file a unit is made of, the unit file first and then its drop-ins in the order systemd reads them.
struct UnitFile { std::string path, text; };

/// The service manager. One thread. Every act is awaited with a bound: a job that fails is Errc::failed with
/// the unit's state and last exit, one that does not end Errc::timeout, no bus to ask Errc::unreachable.
class Units {
 public:
  virtual ~Units() = default;
  virtual Result<UnitState> state(const std::string& unit) = 0;
  virtual Status start(const std::string& unit) = 0;
  virtual Status stop(const std::string& unit) = 0;
  virtual Status restart(const std::string& unit) = 0;
  /// Asks for it and does not wait: a program that hangs in its start would be waited for.
  virtual Status begin_restart(const std::string& unit) { return restart(unit); }
  /// A unit that cannot be reloaded is Errc::conflict. Success proves only that the signal was sent.
  virtual Status reload(const std::string& unit) = 0;
  virtual Status enable(const std::string& unit) = 0;
  virtual Status disable(const std::string& unit) = 0;
  virtual Status mask(const std::string& unit) = 0;  // nobody starts it, by whatever way
  virtual Status unmask(const std::string& unit) = 0;
  virtual Status reset_failed(const std::string& unit) = 0;
  virtual Status daemon_reload() = 0;
  /// Errc::not_found when there is no such unit.
  virtual Result<std::vector<UnitFile>> files(const std::string& unit) = 0;
  /// The last lines that the unit's newest process wrote, if it began since then, for a message; empty where there are none
  /// to be had.
  virtual std::string journal_since(const std::string&, Time) { return {}; }
};

/// The text `systemctl cat` prints of these files.
std::string cat_text(const std::vector<UnitFile>& files);

/// systemd over its bus; connects at the first question, and again after a lost connection.
std::unique_ptr<Units> make_units(Seam& seam);

}  // namespace berth::host::resources
