#include "bus/watch.h"

#include <algorithm>

#include "base/log.h"

namespace berth::bus {
namespace {

/// The subject of the server's 'Permissions Violation for Publish to "x"'; empty for another text.
std::string refused_subject(std::string_view text, std::string_view kind) {
  const auto phrase = "Permissions Violation for " + std::string{kind} + " to \"";
  const auto at = text.find(phrase);
  if (at == std::string_view::npos) return {};
  const auto from = at + phrase.size();
  return std::string{text.substr(from, text.find('"', from) - from)};
}

}  // namespace

void Watch::ended(std::string why) {
  const std::scoped_lock telling{telling_};
  {
    const std::scoped_lock lock{mutex_};
    if (why_) return;
    why_ = why.empty() ? last_error_ : std::move(why);
    if (why_->empty()) why_ = "the connection was closed";
  }
  if (on_ended_) on_ended_();
}

void Watch::silence() {
  const std::scoped_lock telling{telling_};
  on_ended_ = nullptr;
}

void Watch::async_error(natsStatus status, std::string_view text) {
  const auto publish = refused_subject(text, "Publish");
  const auto subscription = refused_subject(text, "Subscription");
  {
    const std::scoped_lock lock{mutex_};
    last_error_ = std::string{text};
    if (!publish.empty()) {
      publishes_.push_back({++newest_, publish});
      if (publishes_.size() > 256) publishes_.pop_front();
    }
    if (!subscription.empty()) subscriptions_.insert(subscription);
  }
  if (status == NATS_SLOW_CONSUMER) log::warn("the bus dropped messages: a handler is too slow", {});
}

bool Watch::has_ended() const {
  const std::scoped_lock lock{mutex_};
  return why_.has_value();
}

bool Watch::is_behind(std::string_view newest) const {
  const std::scoped_lock lock{mutex_};
  return last_error_ != newest;
}

std::string Watch::why() const {
  const std::scoped_lock lock{mutex_};
  return why_.value_or("");
}

std::uint64_t Watch::newest() const {
  const std::scoped_lock lock{mutex_};
  return newest_;
}

bool Watch::take_publish_refusal(std::string_view subject, std::uint64_t mark) {
  const std::scoped_lock lock{mutex_};
  const auto at = std::ranges::find_if(
      publishes_, [&](const Refusal& r) { return r.number > mark && r.subject == subject; });
  if (at == publishes_.end()) return false;
  publishes_.erase(at);
  return true;
}

std::optional<std::string> Watch::take_any_publish_refusal() {
  const std::scoped_lock lock{mutex_};
  if (publishes_.empty()) return std::nullopt;
  auto subject = std::move(publishes_.front().subject);
  publishes_.clear();
  return subject;
}

std::set<std::string> Watch::refused_subscriptions() const {
  const std::scoped_lock lock{mutex_};
  return subscriptions_;
}

void Watch::subscription_retried(const std::string& subject) {
  const std::scoped_lock lock{mutex_};
  subscriptions_.erase(subject);
}

}  // namespace berth::bus
