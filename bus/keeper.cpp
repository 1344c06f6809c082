// The keeper's half of the bus: making connections, noticing their end, making the next one.
#include <algorithm>

#include "bus/nats_bus.h"

namespace berth::bus {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2000};
constexpr milliseconds kRetryRefused{3000};

}  // namespace

std::unique_ptr<Bus> Bus::start(BusConfig config, Seam& seam,
                                std::function<void(bool, std::string)> state_changed) {
  return std::make_unique<NatsBus>(std::move(config), seam, std::move(state_changed));
}

Result<std::unique_ptr<Bus>> Bus::connect(BusConfig config, Seam& seam, milliseconds limit) {
  if (const auto log_in = log_in_readable(config); !log_in) {
    return Error{log_in.error()}.while_doing("log in to the bus at " + config.url + " as " + config.user);
  }
  auto bus = std::make_unique<NatsBus>(std::move(config), seam, nullptr);
  TRY(bus->wait_connected(limit));
  return std::unique_ptr<Bus>{std::move(bus)};
}

NatsBus::NatsBus(BusConfig config, Seam& seam, std::function<void(bool, std::string)> state_changed)
    : config_(std::move(config)),
      seam_(seam),
      state_changed_(std::move(state_changed)),
      keeper_([this](const std::stop_token& stop) { keep(stop); }) {}

NatsBus::~NatsBus() {
  keeper_.request_stop();
  wake();
  keeper_.join();
}

bool NatsBus::connected() const {
  const std::scoped_lock lock{mutex_};
  return ready_ && !live_->watch().has_ended();
}

Status NatsBus::wait_connected(milliseconds limit) {
  std::unique_lock lock{mutex_};
  if (changed_.wait_for(lock, limit, [&] { return ready_; })) return {};
  return fail(Errc::unreachable, "the bus at " + config_.url + " does not answer: " + why_);
}

Result<std::shared_ptr<Live>> NatsBus::borrow() const {
  const std::scoped_lock lock{mutex_};
  if (ready_ && !live_->watch().has_ended()) return live_;
  return fail(Errc::unreachable,
              "the bus at " + config_.url + " does not answer: " + (live_ ? live_->watch().why() : why_));
}

void NatsBus::keep(const std::stop_token& stop) {
  auto pause = kFirstPause;
  while (!stop.stop_requested()) {
    if (try_to_connect()) {
      pause = kFirstPause;
      watch_connection(stop);
    }
    wait_for(stop, pause);
    pause = std::min(pause * 2, kLongestPause);
  }
  let_go("the bus was closed here");
  // A call that still runs ends with its connection; it is not destroyed under it.
  while (!retired_.empty()) {
    std::erase_if(retired_, [](const auto& live) { return live.use_count() == 1; });
    if (!retired_.empty()) std::this_thread::sleep_for(milliseconds{1});
  }
}

std::shared_ptr<Live> NatsBus::current() const {
  const std::scoped_lock lock{mutex_};
  return live_;
}

Status NatsBus::open_connection() {
  TRY(seam_.before("bus.connect", config_.url));
  std::shared_ptr<Live> live = TRY(Live::open(config_, [this] { wake(); }));
  {
    // From here on a subscribe attaches itself; what stood before is attached below.
    const std::scoped_lock lock{mutex_};
    live_ = live;
  }
  max_payload_ = static_cast<std::size_t>(natsConnection_GetMaxPayload(live->connection()));
  TRY(handlers_->attach_all(*live));
  const std::scoped_lock lock{mutex_};
  ready_ = true;
  why_.clear();
  return {};
}

bool NatsBus::try_to_connect() {
  std::erase_if(retired_, [](const auto& live) { return live.use_count() == 1; });
  const auto opened = open_connection();
  if (!opened) let_go(opened.error().detail);
  changed_.notify_all();
  if (opened) tell(true, "");
  return opened.ok();
}

/// An edge is told once, not at every attempt.
void NatsBus::tell(bool connected, const std::string& why) {
  if (told_ == connected) return;
  told_ = connected;
  if (state_changed_) state_changed_(connected, why);
}

void NatsBus::watch_connection(const std::stop_token& stop) {
  const auto live = current();
  while (!stop.stop_requested() && !live->watch().has_ended()) {
    wait_for(stop, kRetryRefused);
    if (!live->watch().has_ended()) handlers_->retry_refused(*live);
  }
  if (!stop.stop_requested()) let_go(live->watch().why());
}

void NatsBus::let_go(const std::string& why) {
  std::shared_ptr<Live> ended;
  {
    const std::scoped_lock lock{mutex_};
    ended = std::exchange(live_, nullptr);
    ready_ = false;
    why_ = why;
  }
  if (ended) {
    handlers_->detach_all();
    natsConnection_Close(ended->connection());  // whoever waits on it is answered now
    retired_.push_back(std::move(ended));
  }
  tell(false, why);
}

bool NatsBus::wait_for(const std::stop_token& stop, milliseconds limit) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, stop, limit, [&] { return woken_; });
  return std::exchange(woken_, false);
}

void NatsBus::wake() {
  {
    const std::scoped_lock lock{mutex_};
    woken_ = true;
  }
  changed_.notify_all();
}

}  // namespace berth::bus
