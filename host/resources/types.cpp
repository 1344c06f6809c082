// The table of resource types: one row a file.
#include <algorithm>
#include <thread>

#include "host/resources/types.h"

namespace berth::host::resources {
namespace {

constexpr Type kTypes[] = {
    {"package", package::check, package::read, package::apply, package::give_back, package::target},
    {"service", service::check, service::read, service::apply, service::give_back, service::target},
    {"file", file::check, file::read, file::apply, file::give_back, file::target},
    {"json", json::check, json::read, json::apply, json::give_back, json::target, json::widen},
    {"container", container::check, container::read, container::apply, container::give_back, container::target},
    {"user", user::check, user::read, user::apply, user::give_back, user::target},
    {"process", process::check, process::read, process::apply, process::give_back, process::target},
};

}  // namespace

const Type* find_type(std::string_view name) {
  const auto* row = std::ranges::find(kTypes, name, &Type::name);
  return row == std::end(kTypes) ? nullptr : row;
}

std::vector<std::string_view> type_names() {
  std::vector<std::string_view> names;
  for (const auto& type : kTypes) names.push_back(type.name);
  return names;
}

void pause_for(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }

}  // namespace berth::host::resources
