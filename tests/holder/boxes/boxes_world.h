#pragma once
// What the tests of boxes share: results that must be there, and the worlds of real engines.
#include "base/error.h"
#include "catch.h"
#include "holder/boxes/conformance/engine_world.h"
#include "holder/boxes/conformance/report.h"
#include "tests/support/fakes.h"
#include "tests/support/parts.h"

namespace berth::test {

template <class T>
T have(Result<T> result) {
  if (!result) FAIL(to_text(result.error()));
  return std::move(result).value();
}
inline void have(const Status& status) {
  if (!status) FAIL(to_text(status.error()));
}

/// Removes the box, and looks whether it is gone whole.
inline void nothing_stays_of(const holder::boxes::BoxId& box, holder::boxes::Runtime& runtime) {
  have(runtime.remove(box));
  have(runtime.remove_storage(box));
  for (const auto& object : have(runtime.inventory())) {
    INFO(object.kind << " " << object.name);
    CHECK(object.box != box.text());
  }
}

inline std::unique_ptr<holder::boxes::conformance::EngineWorld> engine_world(const std::string& socket,
                                                                             Seam& seam) {
  return have(holder::boxes::conformance::EngineWorld::open(
      {.socket = socket, .kind = {}, .image = {}, .run_timeout = std::chrono::seconds{2}}, seam));
}

}  // namespace berth::test
