#pragma once
#include "base/fields.h"
#include "base/json_fwd.h"
#include "base/names.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// The `container` member: refuses what is no id, name or prefix.
Result<ContainerRef> read_container(Fields& fields);

/// Which container that is: a full id, an exact name or a unique id prefix, in that order. Resolved once;
/// whoever acts, acts on the full id of the answer. Errc::ambiguous lists the matches.
Result<engine::Inspected> resolve(Session& session, const ContainerRef& ref);

/// The contract's summary.
Json summary_document(const engine::Summary& summary);

/// {"mesh_held", "assignment"}: what every answer about one container carries.
void put_holder(Json& answer, const engine::Summary& summary);

}  // namespace berth::holder::verbs
