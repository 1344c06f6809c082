#pragma once
#include <cstdint>
#include <map>
#include <memory>

#include "base/guarded.h"

namespace berth::bus {

/// The library keeps the closure of a callback for longer than it says: its threads end after the handle is
/// gone. So a callback gets a number, and finds the object by it only while somebody still owns it.
template <class T>
class Tickets {
 public:
  static void* give(const std::shared_ptr<T>& object) {
    return table().with([&](Table& t) {
      const auto number = ++t.last;
      t.objects.emplace(number, object);
      return reinterpret_cast<void*>(number);
    });
  }
  static std::shared_ptr<T> find(void* closure) {
    return table().with([&](Table& t) {
      const auto at = t.objects.find(reinterpret_cast<std::uintptr_t>(closure));
      return at == t.objects.end() ? nullptr : at->second.lock();
    });
  }
  static void forget(void* closure) {
    table().with([&](Table& t) { t.objects.erase(reinterpret_cast<std::uintptr_t>(closure)); });
  }

 private:
  struct Table {
    std::uintptr_t last = 0;
    std::map<std::uintptr_t, std::weak_ptr<T>> objects;
  };
  /// Never destroyed: a thread of the library may still ask while the program ends.
  static Guarded<Table>& table() {
    static auto* const kTable = new Guarded<Table>;
    return *kTable;
  }
};

}  // namespace berth::bus
