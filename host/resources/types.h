#pragma once
#include "host/resources/resource.h"

// What each file of a type defines; types.cpp puts them into the table.
#define BERTH_RESOURCE_TYPE                                                               \
  Status check(const Json& declared);                                                     \
  Result<Json> read(World& world, const Json& declared);                                  \
  Result<Acted> apply(World& world, const Json& declared, const Json& found, const Json& before);     \
  Result<Acted> give_back(World& world, const Json& declared, const Json& found, const Json& before); \
  std::string target(const Json& declared);

namespace berth::host::resources {
namespace package { BERTH_RESOURCE_TYPE }
namespace service { BERTH_RESOURCE_TYPE }
namespace file { BERTH_RESOURCE_TYPE }
namespace json {
BERTH_RESOURCE_TYPE
Result<Json> widen(World& world, const Json& declared, const Json& found);
}
namespace container { BERTH_RESOURCE_TYPE }
namespace process { BERTH_RESOURCE_TYPE }
namespace user { BERTH_RESOURCE_TYPE }
}  // namespace berth::host::resources
#undef BERTH_RESOURCE_TYPE
