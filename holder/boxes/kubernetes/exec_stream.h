#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "holder/boxes/kubernetes/api.h"
#include "holder/boxes/runtime.h"

namespace berth::holder::boxes::kubernetes {

/// A process to start through the API server.
struct ExecCall {
  std::string pod_path;  // "/api/v1/namespaces/boxes/pods/box-a"
  std::vector<std::string> argv;
  bool terminal = false;
  /// Kills what was started, from outside; called by the stream's kill.
  std::function<Status()> kill;
};

/// Opens the WebSocket. A refusal of the API server is an error as of every other call.
Result<std::unique_ptr<Stream>> open_exec(Api& api, ExecCall call);

}  // namespace berth::holder::boxes::kubernetes
