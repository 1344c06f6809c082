#include "cli/interrupts.h"

#include <unistd.h>

namespace berth::cli {

Interrupts::Interrupts() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waiter_ = std::jthread{[this](const std::stop_token& over) { wait(over); }};
}

Interrupts::~Interrupts() {
  waiter_.request_stop();
  waiter_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interrupts::wait(const std::stop_token& over) {
  constexpr timespec kLook{.tv_sec = 0, .tv_nsec = 100'000'000};
  while (!over.stop_requested()) {
    const int signal = ::sigtimedwait(&signals_, nullptr, &kLook);
    if (signal < 0) continue;
    if (asked_.stop_requested()) ::_exit(128 + signal);
    asked_.request_stop();
  }
}

}  // namespace berth::cli
