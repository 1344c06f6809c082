#pragma once
// A box runtime in memory: what was asked of it, and one process that says back what it hears.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "holder/boxes/runtime.h"

namespace berth::test {

using holder::boxes::BoxId;

/// Says back what it is told, and ends with 7 at the end of its input.
class EchoStream final : public holder::boxes::Stream {
 public:
  explicit EchoStream(std::shared_ptr<std::atomic<int>> alive) : alive_(std::move(alive)) { ++*alive_; }
  ~EchoStream() override { --*alive_; }

  Result<std::optional<Piece>> read(std::chrono::milliseconds wait) override {
    std::unique_lock lock{mutex_};
    more_.wait_for(lock, wait, [&] { return !pieces_.empty(); });
    if (pieces_.empty()) return std::optional<Piece>{};
    auto piece = std::move(pieces_.front());
    pieces_.pop_front();
    return std::optional{std::move(piece)};
  }
  Status write(std::string_view bytes) override { return say({From::out, std::string{bytes}, 0}); }
  Status close_input() override { return say({From::end, {}, 7}); }
  Status resize(holder::boxes::Terminal size) override {
    return say({From::err, std::to_string(size.columns) + "x" + std::to_string(size.rows), 0});
  }
  Status kill() override { return {}; }

 private:
  Status say(Piece piece) {
    {
      const std::scoped_lock lock{mutex_};
      pieces_.push_back(std::move(piece));
    }
    more_.notify_all();
    return {};
  }
  std::shared_ptr<std::atomic<int>> alive_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::deque<Piece> pieces_;
};

class FakeRuntime final : public holder::boxes::Runtime {
 public:
  std::atomic<bool> down = false;
  std::shared_ptr<std::atomic<int>> processes = std::make_shared<std::atomic<int>>(0);
  holder::boxes::BoxSpec given;

  Status create_storage(const BoxId&) override { return reach(); }
  Result<std::vector<std::string>> missing_storage(const BoxId&) override {
    TRY(reach());
    return std::vector<std::string>{"work"};
  }
  Status remove_storage(const BoxId&) override { return fail(Errc::conflict, "it runs"); }
  Status ensure(const BoxId&, const holder::boxes::BoxSpec& spec) override {
    given = spec;
    return reach();
  }
  Status start(const BoxId&, const holder::boxes::BoxSpec&) override { return reach(); }
  Status stop(const BoxId&) override { return reach(); }
  Status remove(const BoxId&) override { return reach(); }
  holder::boxes::State state(const BoxId&) override {
    return down ? holder::boxes::State::unknown : holder::boxes::State::running;
  }
  Status ensure_isolation(const BoxId&) override { return reach(); }
  Result<bool> isolated(const BoxId&) override { return true; }
  Result<std::string> proxy_url(const BoxId&) override { return std::string{"http://proxy:3128"}; }
  Result<holder::boxes::RunResult> run(const holder::boxes::Place& place,
                                       const holder::boxes::Command& command,
                                       const holder::boxes::RunBounds& bounds) override {
    TRY(reach());
    while (command.argv.front() == "wait" && !bounds.stop.stop_requested()) std::this_thread::yield();
    return holder::boxes::RunResult{.exit_code = 3, .out = place.id + " " + command.argv.front(), .err = {}};
  }
  Result<std::unique_ptr<holder::boxes::Stream>> spawn(const holder::boxes::Place&,
                                                       const holder::boxes::Command&,
                                                       std::optional<holder::boxes::Terminal>) override {
    TRY(reach());
    return std::unique_ptr<holder::boxes::Stream>{std::make_unique<EchoStream>(processes)};
  }
  Result<std::string> image_of(const BoxId&) override { return std::string{"image-1"}; }
  Status ensure_image() override { return reach(); }
  Result<bool> refresh_image() override { return false; }
  Result<std::vector<holder::boxes::Object>> inventory() override {
    TRY(reach());
    return std::vector<holder::boxes::Object>{{"container", "box-a", "a"}, {"login", "login-x", ""}};
  }
  Status remove_object(const holder::boxes::Object&) override { return reach(); }
  Status start_login(const holder::boxes::LoginId&) override { return reach(); }
  Status prepare() override { return reach(); }
  Result<holder::boxes::Facts> details(const BoxId&) override {
    return holder::boxes::Facts{{"container", "c"}};
  }
  holder::boxes::Health health() override {
    return {.answering = !down, .proxy_ready = false, .cause = "why"};
  }
  Result<holder::boxes::Facts> deployment_images() override {
    return holder::boxes::Facts{{"box", "image-1"}};
  }

 private:
  Status reach() const { return down ? Status{fail(Errc::engine_unreachable, "nobody answers")} : Status{}; }
};

}  // namespace berth::test
