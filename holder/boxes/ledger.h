#pragma once
#include <map>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "base/result.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes {

/// Which container (a pod's uid with Kubernetes) a box or a login is. A process is started only in what is
/// written here, whatever bears a box's name or labels. Any thread.
class Ledger {
 public:
  virtual ~Ledger() = default;
  virtual Result<std::optional<std::string>> recorded(const Place& place) = 0;
  virtual Status record(const Place& place, const std::string& id) = 0;
  virtual Status forget(const Place& place) = 0;
};

/// For a process that keeps its boxes no longer than itself.
class MemoryLedger final : public Ledger {
 public:
  Result<std::optional<std::string>> recorded(const Place& place) override {
    return ids_.with([&](const auto& ids) -> std::optional<std::string> {
      const auto at = ids.find(place);
      return at == ids.end() ? std::nullopt : std::optional{at->second};
    });
  }
  Status record(const Place& place, const std::string& id) override {
    ids_.with([&](auto& ids) { ids[place] = id; });
    return {};
  }
  Status forget(const Place& place) override {
    ids_.with([&](auto& ids) { ids.erase(place); });
    return {};
  }

 private:
  Guarded<std::map<Place, std::string>> ids_;
};

}  // namespace berth::holder::boxes
