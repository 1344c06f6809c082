#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"

namespace berth::bus {

/// How to reach the broker: {"url", "user"+"password_file" | "creds" | "nkey_seed_file",
/// "tls": {"ca","cert","key"}}. The files are read again at each (re)connect.
struct BusConfig {
  std::string url;
  std::string user;
  std::filesystem::path password_file;
  std::filesystem::path creds;           // a JWT and its seed, as `nsc` writes them
  std::filesystem::path nkey_seed_file;  // a seed alone: the server's list has its public half
  struct Tls {
    std::filesystem::path ca, cert, key;
  };
  std::optional<Tls> tls;
  std::string name;                     // shown by the server's connection list
  std::string inbox_prefix = "_INBOX";  // "_INBOX.<caller>" for callers

  static Result<BusConfig> parse(const Json& document, std::string path);
};

struct Message {
  std::string subject;
  std::string reply;  // empty when none is asked for
  std::multimap<std::string, std::string> headers;
  std::string data;
};

/// Takes one subscription away when destroyed; no handler runs afterwards (destroyed by its own handler, the
/// running call is the last). May outlive its bus. `take_away` is given by the bus, or by a test's stand-in.
class [[nodiscard]] Subscription {
 public:
  explicit Subscription(std::function<void()> take_away) : take_away_(std::move(take_away)) {}
  Subscription(Subscription&& other) noexcept : take_away_(std::exchange(other.take_away_, nullptr)) {}
  Subscription& operator=(Subscription&& other) noexcept {
    if (this != &other) {
      reset();
      take_away_ = std::exchange(other.take_away_, nullptr);
    }
    return *this;
  }
  ~Subscription() { reset(); }

 private:
  void reset() {
    if (take_away_) std::exchange(take_away_, nullptr)();
  }
  std::function<void()> take_away_;
};

/// One JetStream stream as berth makes it.
struct StreamConfig {
  std::string name;
  std::vector<std::string> subjects;
  std::chrono::hours duplicate_window{24};
  std::int64_t max_bytes = -1;
};

struct StreamMessage {
  std::uint64_t sequence;
  Message message;
};

/// A connection to the broker that is kept up for as long as this object lives: a thread of ours connects,
/// and whenever the connection ends, for whatever reason, builds a new one with the password read again and
/// every subscription made anew. Any thread may call; handlers run on the library's threads, one a
/// subscription, and only enqueue. Nothing is kept for a broker that is away: what must arrive waits in an
/// outbox, and its publish is durable.
/// A broker that is not there is Errc::unreachable, a subject the broker forbids Errc::not_granted, too
/// large a message Errc::too_large, no reply in time Errc::timeout, and nobody listening Errc::unreachable.
class Bus {
 public:
  /// Answers at once; `connected()` says whether the broker is there. `state_changed` is told of edges.
  static std::unique_ptr<Bus> start(BusConfig config, Seam& seam,
                                    std::function<void(bool connected, std::string why)> state_changed = {});
  /// As start, but waits until connected or `limit` passed (Errc::unreachable with the last cause).
  static Result<std::unique_ptr<Bus>> connect(BusConfig config, Seam& seam, std::chrono::milliseconds limit);

  virtual ~Bus() = default;
  virtual bool connected() const = 0;
  virtual std::size_t max_payload() const = 0;  // the server's; 1 MiB before the first connect

  virtual Status publish(const Message& message) = 0;
  virtual Result<Message> request(std::string_view subject, std::string_view data,
                                  std::chrono::milliseconds limit) = 0;
  /// Survives reconnects and rebuilt connections. Errc::not_granted when the broker is there and forbids it;
  /// a subscription that becomes forbidden later, or is made before the connection, is asked for again every
  /// few seconds, because the broker's permissions can change under a live connection.
  virtual Result<Subscription> subscribe(std::string_view subject, std::function<void(Message)> handler) = 0;
  /// Pushes what was written out to the server and back. Errc::not_granted names a subject that was published
  /// since the flush before and that the broker forbids: a publish alone cannot know.
  virtual Status flush(std::chrono::milliseconds limit) = 0;

  // JetStream.
  virtual Status ensure_stream(
      const StreamConfig& config) = 0;  // makes it, or widens one that lacks a subject
  /// Durable publish: success is the stream's acknowledgement; a second one with the same id is dropped by
  /// it. `expected_last_sequence`: refused with Errc::conflict unless the subject's last sequence is this
  /// one.
  virtual Result<std::uint64_t> publish_durable(std::string_view subject, std::string_view message_id,
                                                std::string_view data,
                                                std::optional<std::uint64_t> expected_last_sequence = {}) = 0;
  /// Messages from `first_sequence` on, oldest first, at most `limit` and none more after 16 MiB, waiting at
  /// most `wait` for the first one.
  virtual Result<std::vector<StreamMessage>> read_stream(std::string_view stream,
                                                         std::string_view subject_filter,
                                                         std::uint64_t first_sequence, std::size_t limit,
                                                         std::chrono::milliseconds wait) = 0;
  /// The last message kept for a subject; empty when there is none.
  virtual Result<std::optional<StreamMessage>> last_message(std::string_view stream,
                                                            std::string_view subject) = 0;
};

}  // namespace berth::bus
