#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "migrate/fleet_document.h"

namespace berth::migrate {

/// What a stream keeps: its place there and the document.
struct Kept {
  std::uint64_t sequence = 0;
  std::string text;
};

/// The machines of a fleet as the runner reaches them. The real one speaks over the bus, a test's stands in
/// for a fleet. Any thread. Not answering is Errc::unreachable or Errc::timeout, a machine's own refusal the
/// error it said.
class Port {
 public:
  virtual ~Port() = default;

  /// host.ask of one machine.
  virtual Result<Json> ask(std::string_view machine, const Json& request,
                           std::chrono::milliseconds limit) = 0;
  /// The same over a connection made for it alone: whether the broker still lets the operator log in and ask.
  virtual Result<Json> ask_anew(std::string_view machine, const Json& request,
                                std::chrono::milliseconds limit) = 0;
  /// host.push; answers {"push_id", "accepted", "sequence"}.
  virtual Result<Json> push(std::string_view machine, const Json& document) = 0;

  /// Makes the fleet's streams of events, reports and leases where they are missing.
  virtual Status ensure_streams() = 0;
  /// The last lease message; and one more, refused with Errc::conflict unless `expected` is the last's
  /// sequence.
  virtual Result<std::optional<Kept>> last_lease() = 0;
  virtual Result<std::uint64_t> claim_lease(std::string_view text, std::uint64_t expected) = 0;
  /// A machine's events or reports kept from `first_sequence` on, at most a thousand, waiting `wait` for the
  /// first.
  virtual Result<std::vector<Kept>> events(std::string_view machine, std::uint64_t first_sequence,
                                           std::chrono::milliseconds wait) = 0;
  virtual Result<std::vector<Kept>> reports(std::string_view machine, std::uint64_t first_sequence,
                                            std::chrono::milliseconds wait) = 0;
  /// The sequence behind a machine's newest event, or report: where to read on from.
  virtual Result<std::uint64_t> events_end(std::string_view machine) = 0;
  virtual Result<std::uint64_t> reports_end(std::string_view machine) = 0;
};

/// Connects as the operator, with the log-in of the fleet document; Errc::unreachable when nothing answers.
Result<std::unique_ptr<Port>> open_port(const FleetDocument& fleet, Seam& seam);

}  // namespace berth::migrate
