#pragma once
#include <string>

#include "base/result.h"

namespace berth::holder::client {

/// `field` is wrong unless `holds`: "restart must be …". Reads as a list of rules, each its own line.
inline Status must(bool holds, std::string field, const char* rule) {
  if (holds) return {};
  auto detail = field + " must be " + rule;
  return fail_field(Errc::bad_request, std::move(field), std::move(detail));
}

}  // namespace berth::holder::client
