#pragma once
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "cli/table.h"
#include "store/store.h"

namespace berth::cli {

/// The options every command takes.
struct Globals {
  std::string store;  // empty: the default place
  std::string fleet;  // empty: not given
  Output output = Output::table;
};

/// Where the operator's store is: $XDG_STATE_HOME/berth/fleet.db, else ~/.local/state/berth/fleet.db.
std::filesystem::path default_store_path();

/// What a command works with: the options, the streams, and the store as it is needed. One thread.
class Context {
 public:
  Context(Globals globals, std::ostream& out, std::ostream& err, bool colour, const Clock& clock, Seam& seam)
      : globals_(std::move(globals)), out_(out), err_(err), colour_(colour), clock_(clock), seam_(seam) {}

  const Globals& globals() const { return globals_; }
  std::ostream& out() { return out_; }
  std::ostream& err() { return err_; }
  bool colour() const { return colour_; }
  const Clock& clock() const { return clock_; }
  Seam& seam() { return seam_; }

  std::filesystem::path store_path() const;
  /// The folder that the store lies in, made if it is not there.
  Status make_store_folder() const;
  /// The operator's store, made with its folder if it is not there.
  Result<store::Store> open_store();
  /// Any store of berth's, only to read; Errc::not_found says how one comes to be.
  Result<store::Store> read_store();

  /// One sentence on what was done: a line for people, {"done": …} for programs; no row of a CSV.
  void say(const std::string& sentence);
  /// A listing in the form asked for.
  void show(const Table& table);
  /// A whole document: indented JSON, with everything beyond ASCII escaped on a terminal's table output.
  void show(const Json& document);

 private:
  Globals globals_;
  std::ostream& out_;
  std::ostream& err_;
  bool colour_;
  const Clock& clock_;
  Seam& seam_;
};

}  // namespace berth::cli
