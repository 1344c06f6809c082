#pragma once
#include <string_view>

namespace berth::holder::client {

// What a bus caller's container may keep or get: nothing outside Docker's own default set.

/// May be added back after `cap_drop: [ALL]`. Exact spelling.
bool is_safe_capability(std::string_view name);
/// One of Docker's default set, or ALL: what there is to drop.
bool is_default_capability(std::string_view name);
/// no-new-privileges, alone or with :true or =true.
bool is_no_new_privileges(std::string_view option);

}  // namespace berth::holder::client
