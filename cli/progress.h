#pragma once
#include <iosfwd>
#include <map>
#include <string>

#include "migrate/migrate.h"

namespace berth::cli {

/// Shows a running migration: on a terminal a bar a step with the machines at work drawn over itself, else
/// (and in a log) a plain line for each thing that ended. Always on the error stream, so that the answer on the
/// other is alone. Called one call at a time.
class Progress final : public migrate::Observer {
 public:
  Progress(std::ostream& err, bool terminal) : err_(err), terminal_(terminal) {}
  ~Progress() override;

  void step_begins(int step, std::string_view name, std::size_t total) override;
  void machine_does(int step, std::string_view machine, std::string_view what) override;
  void machine_ended(int step, std::string_view machine, std::string_view state, std::string_view detail) override;
  void step_ended(int step, std::size_t done, std::size_t total) override;
  void notice(std::string_view text) override;

 private:
  void line(const std::string& text);
  void draw();
  void wipe();

  std::ostream& err_;
  bool terminal_;
  std::string step_;
  std::size_t ended_ = 0;
  std::size_t total_ = 0;
  std::map<std::string, std::string> at_work_;  // machine -> what it does
  bool drawn_ = false;
};

}  // namespace berth::cli
