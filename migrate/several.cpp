#include "migrate/several.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "base/guarded.h"

namespace berth::migrate {

void several(const std::vector<std::string>& names, std::size_t at_once, const std::function<bool()>& goes_on,
             const std::function<void(const std::string&)>& one) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> ended{false};
  Guarded<std::exception_ptr> thrown;
  const auto work = [&] {
    while (!ended && goes_on()) {
      const auto i = next++;
      if (i >= names.size()) return;
      try {
        one(names[i]);
      } catch (...) {
        ended = true;
        thrown.with([](std::exception_ptr& first) {
          if (!first) first = std::current_exception();
        });
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 1; i < std::min(at_once, names.size()); ++i) workers.emplace_back(work);
    work();
  }
  thrown.with([](const std::exception_ptr& first) {
    if (first) std::rethrow_exception(first);
  });
}

}  // namespace berth::migrate
