#pragma once
#include <filesystem>
#include <stop_token>

#include "base/seam.h"
#include "bus/bus.h"
#include "store/store.h"

namespace berth::host::serve {

/// Sends what the outbox holds, oldest first, in parts where the broker takes no more at once, each kept
/// until the stream has acknowledged all of it. Answers how many were sent; the first that could not be sent
/// ends it (its error), and stays.
Result<std::int64_t> drain_outbox(store::Store& store, bus::Bus& bus);

/// A thread's whole life: drains whenever the broker is there, on a store handle of its own.
void keep_sending(std::stop_token stop, const std::filesystem::path& store, bus::Bus& bus, Seam& seam);

}  // namespace berth::host::serve
