#include "cli/progress.h"

#include <algorithm>
#include <ostream>

#include "cli/text.h"

namespace berth::cli {
namespace {

constexpr std::size_t kBar = 24;
constexpr std::size_t kColumns = 100;

std::string bar(std::size_t done, std::size_t total) {
  const auto full = total == 0 ? kBar : std::min(kBar, done * kBar / total);
  return "[" + std::string(full, '#') + std::string(kBar - full, '.') + "]";
}

}  // namespace

Progress::~Progress() { wipe(); }

/// One line that stays: whatever is drawn makes way for it and comes back below.
void Progress::line(const std::string& text) {
  wipe();
  err_ << printable_lines(text, "      ") << '\n';
  draw();
  err_.flush();
}

void Progress::draw() {
  if (!terminal_ || step_.empty()) return;
  std::string text = step_ + " " + bar(ended_, total_) + " " + std::to_string(ended_) + "/" + std::to_string(total_);
  for (const auto& [machine, what] : at_work_) text += "  " + machine + ": " + what;
  err_ << printable(text.substr(0, kColumns));
  err_.flush();
  drawn_ = true;
}

void Progress::wipe() {
  if (drawn_) err_ << "\r\033[K";
  drawn_ = false;
}

void Progress::step_begins(int step, std::string_view name, std::size_t total) {
  step_ = "step " + std::to_string(step) + " " + std::string{name};
  total_ = total;
  ended_ = 0;
  at_work_.clear();
  line(step_ + ": " + std::to_string(total) + (total == 1 ? " machine" : " machines"));
}

void Progress::machine_does(int, std::string_view machine, std::string_view what) {
  at_work_[std::string{machine}] = what;
  if (!terminal_) return;
  wipe();
  draw();
}

void Progress::machine_ended(int step, std::string_view machine, std::string_view state, std::string_view detail) {
  at_work_.erase(std::string{machine});
  ended_ += state == "running" ? 0 : 1;
  line("  " + std::to_string(step) + "  " + std::string{machine} + "  " + std::string{state} +
       (detail.empty() ? "" : "  " + std::string{detail}));
}

void Progress::step_ended(int, std::size_t done, std::size_t total) {
  const auto name = step_;
  step_.clear();
  line(name + ": " + std::to_string(done) + " of " + std::to_string(total) + " done");
}

void Progress::notice(std::string_view text) { line("note: " + std::string{text}); }

}  // namespace berth::cli
