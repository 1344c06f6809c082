#include "holder/boxes/select.h"

#include "holder/boxes/docker/docker.h"
#include "holder/boxes/kubernetes/kubernetes.h"

namespace berth::holder::boxes {

Result<std::unique_ptr<Runtime>> make_runtime(const BoxesConfig& config, const EngineAt& engine,
                                              Ledger& ledger, Seam& seam) {
  if (config.runtime == RuntimeKind::kubernetes) return kubernetes::make_kubernetes(config, ledger, seam);
  return docker::make_docker(config, engine, ledger, seam);
}

}  // namespace berth::holder::boxes
