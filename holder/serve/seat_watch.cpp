#include <sys/stat.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "holder/serve/seat_file.h"

namespace berth::holder::serve {
namespace {

constexpr std::chrono::milliseconds kPoll{500};
constexpr std::chrono::seconds kAgain{5};
using Steady = std::chrono::steady_clock;

}  // namespace

struct SeatWatch::Impl {
  /// What changes whenever the file does: a replaced file has another inode, an edited one another time.
  struct Stamp {
    bool there = false;
    ino_t inode = 0;
    off_t size = 0;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };

  static Stamp stamp_of(const std::filesystem::path& path) {
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) return {};
    return {true, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
  }

  std::filesystem::path path;
  std::string machine;
  Changed changed;
  Refused refused;
  Stamp last;
  std::optional<Steady::time_point> again;  // when what is missing of the seat is tried again
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::jthread thread;

  /// The stamp is taken before the read: a change between the two is seen at the next turn.
  void take() {
    last = stamp_of(path);
    const auto seat = SeatFile::read(path, machine);
    again.reset();
    if (!seat)
      refused(seat.error());
    else if (!changed(*seat))
      again = Steady::now() + kAgain;
  }
  bool due() const { return stamp_of(path) != last || (again && Steady::now() >= *again); }
  void run(std::stop_token stop) {
    std::unique_lock lock{mutex};
    while (!stop.stop_requested()) {
      stopped.wait_for(lock, stop, kPoll, [] { return false; });
      if (!stop.stop_requested() && due()) take();
    }
  }
};

SeatWatch::SeatWatch(std::filesystem::path path, std::string machine, Changed changed, Refused refused)
    : impl_(new Impl{
          std::move(path), std::move(machine), std::move(changed), std::move(refused), {}, {}, {}, {}, {}}) {
  impl_->take();
  impl_->thread = std::jthread{[impl = impl_.get()](std::stop_token stop) { impl->run(stop); }};
}
SeatWatch::~SeatWatch() = default;

}  // namespace berth::holder::serve
