#pragma once
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "base/json.h"
#include "base/owned.h"

namespace berth::test {

/// The sockets of every simulated holder, served by one thread: GET /v1/seat, which is all that a host asks
/// there beside the engine. A holder that is down closes at once, as a socket without a process would.
class SimHolders {
 public:
  struct Holder {
    std::function<bool()> up;
    std::function<Json()> seat;
  };
  ~SimHolders();
  void add(const std::string& socket, Holder holder);
  void start();

 private:
  void serve(const std::stop_token& stop);
  struct Socket {
    OwnedFd listener;
    Holder holder;
  };
  std::vector<Socket> sockets_;
  std::jthread thread_;
};

}  // namespace berth::test
