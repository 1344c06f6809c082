#pragma once
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/site.h"
#include "store/store.h"

namespace berth::host::serve {

// What a machine remembers of its own past, for an operator whose store is lost (docs/formats.md, host.ask).

/// The pushes it was sent, newest first: the newest thousand, and every one that was no ordinary apply. What each
/// was and what came of it, not its body.
Result<Json> pushes_document(const apply::Site& site, store::Store& store);

/// The engine's file, the records and who set each key as they were right before a push, and the file as that
/// push left it. Where the push did not touch the file, `known` is false and the file is as it is now.
Result<Json> before_document(const apply::Site& site, store::Store& store, std::string_view push_id);

}  // namespace berth::host::serve
