#pragma once
#include <atomic>
#include <optional>
#include <stop_token>
#include <string>

#include "base/seam.h"
#include "bus/bus.h"
#include "host/release/switch.h"
#include "host/serve/machine.h"
#include "host/serve/parts_desk.h"
#include "host/serve/queue.h"
#include "store/store.h"

namespace berth::host::serve {

/// A message as the bus gave it, for the worker it belongs to.
struct Task {
  bus::Message message = {};
  bool is_push = false;
  std::optional<std::string> lost = {};  // no message: a held container ended or went; empty: some may have
};
using Tasks = Queue<Task>;
inline constexpr std::size_t kTasksAtMost = 64;

/// What both workers share; nothing in it changes once they run.
struct Shared {
  const Config& config;
  const Program& program;
  Seam& seam;
  bus::Bus* bus;  // null: no bus is configured
  release::Places places;
  std::string started_at;
  Tasks applies{kTasksAtMost};
  Tasks asks{kTasksAtMost};
  PartsDesk parts = {};
  std::atomic<bool> failed{false};  // a worker could not go on
};

/// Puts a message's task into a worker's queue; when that is full, its asker is told `busy`.
void put_or_say_busy(Shared& shared, Tasks& queue, Task task);

/// The applies' thread: owns the store and the machine. What the last process left first, then pushes and
/// acting questions in the order they came, and every apply_every_s an apply of its own accord.
void apply_worker(std::stop_token stop, Shared& shared, store::Store store);

/// The questions' thread: a read-only handle, and a machine of its own to look at. It also puts together what comes
/// in parts, pushes among them, and gives the parts of answers.
void ask_worker(std::stop_token stop, Shared& shared);

}  // namespace berth::host::serve
