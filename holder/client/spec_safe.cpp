#include "holder/client/spec_safe.h"

#include <algorithm>
#include <array>

namespace berth::holder::client {
namespace {

// The first ten may be added back; the others are Docker's defaults that a bus caller never gets back.
constexpr std::array<std::string_view, 14> kDefaults = {
    "CHOWN",  "DAC_OVERRIDE", "FOWNER",     "FSETID", "KILL",    "NET_BIND_SERVICE", "SETGID",
    "SETUID", "SETPCAP",      "SYS_CHROOT", "MKNOD",  "NET_RAW", "AUDIT_WRITE",      "SETFCAP"};
constexpr std::size_t kSafe = 10;

}  // namespace

bool is_safe_capability(std::string_view name) {
  return std::find(kDefaults.begin(), kDefaults.begin() + kSafe, name) != kDefaults.begin() + kSafe;
}

bool is_default_capability(std::string_view name) {
  return name == "ALL" || std::ranges::find(kDefaults, name) != kDefaults.end();
}

bool is_no_new_privileges(std::string_view option) {
  return option == "no-new-privileges" || option == "no-new-privileges:true" ||
         option == "no-new-privileges=true";
}

}  // namespace berth::holder::client
