#pragma once
// Of this room only: the one place that turns SQLite's failures into ours.
#include <SQLiteCpp/Exception.h>

#include <filesystem>
#include <string_view>
#include <type_traits>

#include "base/result.h"

namespace berth::store {

/// SQLITE_FULL is Errc::failed saying "disk full", a constraint or a trigger's RAISE is Errc::conflict with
/// its own text, a lock not had in time is Errc::busy, anything else Errc::failed.
Error sqlite_error(const SQLite::Exception& error, const std::filesystem::path& path, std::string_view doing);

/// Runs `act`, which answers a Result; SQLite's exceptions end here.
template <class F>
std::invoke_result_t<F> catching(const std::filesystem::path& path, std::string_view doing, F&& act) {
  try {
    return std::forward<F>(act)();
  } catch (const SQLite::Exception& error) {
    return sqlite_error(error, path, doing);
  }
}

}  // namespace berth::store
