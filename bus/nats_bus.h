#pragma once
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bus/bus.h"
#include "bus/handlers.h"
#include "bus/live.h"

namespace berth::bus {

/// The bus over nats.c. One thread of ours (`keeper_`) makes, watches and destroys connections; a caller
/// borrows the one that is up for the length of one call.
class NatsBus final : public Bus {
 public:
  NatsBus(BusConfig config, Seam& seam, std::function<void(bool, std::string)> state_changed);
  ~NatsBus() override;

  bool connected() const override;
  std::size_t max_payload() const override { return max_payload_; }
  Status publish(const Message& message) override;
  Result<Message> request(std::string_view subject, std::string_view data,
                          std::chrono::milliseconds limit) override;
  Result<Subscription> subscribe(std::string_view subject, std::function<void(Message)> handler) override;
  Status flush(std::chrono::milliseconds limit) override;

  Status ensure_stream(const StreamConfig& config) override;
  Result<std::uint64_t> publish_durable(std::string_view subject, std::string_view message_id,
                                        std::string_view data,
                                        std::optional<std::uint64_t> expected_last_sequence) override;
  Result<std::vector<StreamMessage>> read_stream(std::string_view stream, std::string_view subject_filter,
                                                 std::uint64_t first_sequence, std::size_t limit,
                                                 std::chrono::milliseconds wait) override;
  Result<std::optional<StreamMessage>> last_message(std::string_view stream,
                                                    std::string_view subject) override;

  /// Waits until connected; Errc::unreachable with the last cause when `limit` passed.
  Status wait_connected(std::chrono::milliseconds limit);

 private:
  Result<std::shared_ptr<Live>> borrow() const;
  std::shared_ptr<Live> current() const;
  Status attach(const std::shared_ptr<Handler>& handler);
  Result<Message> ask(const Message& message, std::chrono::milliseconds limit);
  Result<Message> await_reply(Live& live, natsSubscription* inbox, const std::string& subject,
                              std::uint64_t mark, std::chrono::milliseconds limit) const;
  Status check_stream(const std::string& name);
  Result<std::optional<StreamMessage>> get_message(std::string_view stream, std::string_view subject,
                                                   std::uint64_t first_sequence, bool last);

  void keep(const std::stop_token& stop);
  Status open_connection();
  bool try_to_connect();
  void tell(bool connected, const std::string& why);
  void watch_connection(const std::stop_token& stop);
  void let_go(const std::string& why);
  bool wait_for(const std::stop_token& stop, std::chrono::milliseconds limit);
  void wake();

  const BusConfig config_;
  Seam& seam_;
  const std::function<void(bool, std::string)> state_changed_;
  const std::shared_ptr<Handlers> handlers_ = std::make_shared<Handlers>();
  std::atomic<std::size_t> max_payload_{std::size_t{1} << 20};

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::shared_ptr<Live> live_;                  // null while there is no broker
  bool ready_ = false;                          // live_ has every subscription
  std::vector<std::shared_ptr<Live>> retired_;  // ended, still borrowed; destroyed by the keeper alone
  std::string why_ = "not tried yet";
  bool woken_ = false;
  std::optional<bool> told_;  // the keeper's own

  std::jthread keeper_;  // last: it uses all of the above
};

}  // namespace berth::bus
