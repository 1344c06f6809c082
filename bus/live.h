#pragma once
#include <nats/nats.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/owned.h"
#include "base/result.h"
#include "bus/bus.h"
#include "bus/watch.h"

namespace berth::bus {

/// Whether the file that a log-in needs can be read now; its error names the file.
Status log_in_readable(const BusConfig& config);

/// One connection of the library, from log-in to its end; it never reconnects by itself, because the library
/// would log in with the old password and close for good after two refusals. Owned by the bus's own thread,
/// which alone destroys it: a library callback that did would wait for itself.
class Live {
 public:
  /// Reads the password and logs in; blocks for at most 2 s.
  static Result<std::unique_ptr<Live>> open(const BusConfig& config, std::function<void()> ended);
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  natsConnection* connection() const { return connection_.get(); }
  jsCtx* jet_stream() const { return jet_stream_.get(); }
  Watch& watch() const { return *watch_; }
  /// Another one for every connection of this process, never 0.
  std::uint64_t number() const { return reinterpret_cast<std::uintptr_t>(ticket_); }

 private:
  Live() = default;

  std::shared_ptr<Watch> watch_;
  void* ticket_ = nullptr;
  CPtr<natsConnection, natsConnection_Destroy> connection_;
  CPtr<jsCtx, jsCtx_Destroy> jet_stream_;
};

}  // namespace berth::bus
