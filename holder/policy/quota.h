#pragma once
#include <map>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "holder/engine/engine.h"

namespace berth::holder::policy {

/// How many containers each bus caller has and is just making, so that calls at the same moment cannot
/// pass the bound together. Any thread; asks the engine outside its lock.
class Quota {
 public:
  /// One container about to be made; over when destroyed.
  class Place {
   public:
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

   private:
    friend class Quota;
    Place(Quota& quota, std::string caller) : quota_(&quota, [](Quota*) {}), caller_(std::move(caller)) {}
    std::unique_ptr<Quota, void (*)(Quota*)> quota_;  // empty once moved from
    std::string caller_;
  };

  /// Errc::conflict when the caller has `most` already, those being made included.
  Result<Place> take(engine::Engine& engine, const std::string& caller, std::int64_t most);

 private:
  Guarded<std::map<std::string, std::int64_t>> making_;
};

}  // namespace berth::holder::policy
