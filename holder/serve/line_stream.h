#pragma once
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace berth::holder::serve {

/// Lines on their way from whoever has them to one connection that writes them. Bounded: a reader who does not
/// keep up is told so by the last line, and asks again from where it was. Any thread puts, one takes; the
/// producer ends when `wanted` is false.
class LineStream {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

  /// False when nobody reads it any more, or it is full and has ended.
  bool put(const std::string& line);
  /// The last line, empty for none; what is put afterwards is dropped.
  void finish(const std::string& line);

  /// What came since, and whether that was all. Empty and not over: nothing yet.
  struct Taken {
    std::string text;
    bool over = false;
  };
  Taken take();
  /// Called by whoever puts, without the lock, when there is something to take. Replaces the one before.
  void when_ready(std::function<void()> wake);
  /// Called once by the taker's end: the producer is told to end.
  void abandon();
  /// What ends the producer; called at once if the reader is gone already.
  void when_abandoned(std::function<void()> stop);

 private:
  void wake_taker();

  std::mutex mutex_;
  std::string text_;
  bool over_ = false, abandoned_ = false;
  std::function<void()> wake_, stop_;
};

}  // namespace berth::holder::serve
