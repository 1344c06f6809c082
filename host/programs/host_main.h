#pragma once
#include "host/serve/machine.h"

namespace berth::host {

/// The whole of berth-host but for which ways to the runtime it has. Answers the exit status.
int host_main(int argc, char** argv, const serve::Program& program);

}  // namespace berth::host
