#pragma once
#include <memory>

#include "holder/boxes/select.h"

namespace berth::holder::boxes::kubernetes {

/// Errors are the credentials': the API server need not answer yet.
Result<std::unique_ptr<Runtime>> make_kubernetes(const BoxesConfig& config, Ledger& ledger, Seam& seam);

}  // namespace berth::holder::boxes::kubernetes
