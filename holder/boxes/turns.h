#pragma once
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>

namespace berth::holder::boxes {

/// Calls about one box follow one another; those about others do not wait for them. Any thread.
class Turns {
 public:
  class Held {
   public:
    Held(Turns& turns, std::string key) : turns_(turns), key_(std::move(key)) {}
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() { turns_.give_back(key_); }

   private:
    Turns& turns_;
    std::string key_;
  };
  Held take(const std::string& key) {
    std::unique_lock lock{mutex_};
    freed_.wait(lock, [&] { return !taken_.contains(key); });
    taken_.insert(key);
    return {*this, key};
  }

 private:
  void give_back(const std::string& key) {
    {
      const std::scoped_lock lock{mutex_};
      taken_.erase(key);
    }
    freed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable freed_;
  std::set<std::string> taken_;
};

}  // namespace berth::holder::boxes
