#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "host/apply/applier.h"
#include "host/apply/site.h"
#include "host/release/switch.h"
#include "store/store.h"

namespace berth::host::serve {

/// What an answer may be made from. `applier` and a store that may be written only where the row says `act`.
struct Asked {
  const apply::Site& site;
  store::Store& store;
  apply::Applier* applier;
  const release::Places& places;
  std::string started_at;
};

/// One question of host.ask. Reading ones are answered while an apply runs, by a thread and a read-only store
/// handle of their own; acting ones wait their turn with the applies.
struct AskRow {
  std::string_view what;
  bool acts;
  Result<Json> (*answer)(Asked&, const Json& request);
};
std::span<const AskRow> ask_rows();

/// Errc::bad_request for a `what` that is none of them.
Result<const AskRow*> find_ask(const Json& request);

Result<Json> status_document(const apply::Site& site, store::Store& store, const std::string& started_at);

}  // namespace berth::host::serve
