#pragma once
#include <filesystem>

#include "base/result.h"
#include "base/seam.h"
#include "host/serve/machine.h"

namespace berth::host::serve {

/// `berth-host run`, until SIGTERM or SIGINT: the store and its lock, the bus (which may be away), the
/// workers, and last the subjects. Threads: this one waits for signals and tells systemd that we live;
/// `apply_worker` and `ask_worker` (workers.h); `keep_sending` (outbox.h); the bus library's, which only
/// enqueue.
Status run_daemon(const Config& config, const std::filesystem::path& config_file, const Program& program,
                  Seam& seam);

}  // namespace berth::host::serve
