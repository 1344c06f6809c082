#pragma once
#include <signal.h>

#include <stop_token>
#include <thread>

namespace berth::cli {

/// While it lives, the first Ctrl-C (or TERM) asks for a clean end and the second ends the process at once.
/// Made before any other thread, so that all of them leave these signals to the one that waits here.
class Interrupts {
 public:
  Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  std::stop_token asked() const { return asked_.get_token(); }

 private:
  void wait(const std::stop_token& over);

  sigset_t signals_;
  sigset_t before_;
  std::stop_source asked_;
  std::jthread waiter_;
};

}  // namespace berth::cli
