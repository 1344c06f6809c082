#pragma once
#include <mutex>
#include <optional>

#include "holder/client/spec.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// The container that the spec `replaces`, if it names one; what an earlier replacement left is ended first.
/// Errc::not_found where it is gone, Errc::conflict where it is not of the spec's assignment or another
/// container has the spec's name. Nothing else is touched.
Result<std::optional<engine::Inspected>> to_be_replaced(Session& session, const client::ContainerSpec& spec);

/// Makes the new one under a name of its own, stops the old one, gives the new one its name and starts it;
/// the old one is removed last. What fails on the way is undone: the old one has its name again and runs if
/// it ran.
Result<engine::Created> replace_container(Session& session, const client::ContainerSpec& spec,
                                          const engine::Inspected& old);

/// Ends every replacement that a crash cut short, of this process or the engine: finished where the new
/// container runs under its name, undone otherwise. A replacement under way in another thread is waited for.
Status end_replacements(engine::Engine& engine);

}  // namespace berth::holder::verbs
