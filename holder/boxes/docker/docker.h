#pragma once
#include <memory>

#include "holder/boxes/select.h"

namespace berth::holder::boxes::docker {

std::unique_ptr<Runtime> make_docker(const BoxesConfig& config, const EngineAt& engine, Ledger& ledger,
                                     Seam& seam);

}  // namespace berth::holder::boxes::docker
