#include "holder/engine/transport.h"

#include <mutex>

#include "base/guarded.h"
#include "holder/engine/access.h"
#include "holder/engine/curl_call.h"

namespace berth::holder::engine {
namespace {

constexpr std::size_t kKeptHandles = 4;
constexpr std::size_t kSideBySide = 32;

void start_curl_once() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(started);
}

}  // namespace

struct Transport::Impl {
  std::string socket;
  Guarded<std::vector<EasyHandle>> idle;  // each keeps its own connection

  EasyHandle borrow() {
    EasyHandle handle;
    idle.with([&](auto& handles) {
      if (handles.empty()) return;
      handle = std::move(handles.back());
      handles.pop_back();
    });
    return handle ? std::move(handle) : EasyHandle{curl_easy_init()};
  }
  void give_back(EasyHandle handle) {
    idle.with([&](auto& handles) {
      if (handles.size() < kKeptHandles) handles.push_back(std::move(handle));
    });
  }
  Result<Answer> perform(const Call& call, bool fresh) {
    CurlCall curl{borrow(), socket, call, fresh};
    const auto code = curl_easy_perform(curl.easy());
    if (curl.was_denied(code) && turn_to_help()) return perform(call, fresh);  // nothing was sent
    auto answer = curl.finish(code);
    if (answer) give_back(curl.take_easy());
    return answer;
  }
};

Transport::Transport(std::string socket) : impl_(std::make_unique<Impl>()) {
  start_curl_once();
  impl_->socket = std::move(socket);
}
Transport::~Transport() = default;

const std::string& Transport::socket() const { return impl_->socket; }
Result<Answer> Transport::read(const Call& call) { return impl_->perform(call, false); }
Result<Answer> Transport::change(const Call& call) { return impl_->perform(call, true); }

namespace {

/// The calls that go side by side, and their answers by place.
class Volley {
 public:
  Volley(const std::string& socket, const std::vector<std::string>& targets, std::chrono::milliseconds limit)
      : socket_(socket), targets_(targets), limit_(limit), calls_(targets.size()), multi_(curl_multi_init()) {
    for (std::size_t i = 0; i < targets.size(); ++i) answers_.emplace_back(fail(Errc::failed, "not asked"));
  }
  ~Volley() {
    for (const auto& call : calls_) {
      if (call) curl_multi_remove_handle(multi_.get(), call->easy());
    }
  }

  std::vector<Result<Answer>> run() {
    refill();
    while (underway_ > 0) {
      int running = 0;
      curl_multi_perform(multi_.get(), &running);
      collect();
      refill();
      if (running > 0) curl_multi_poll(multi_.get(), nullptr, 0, 1000, nullptr);
    }
    return std::move(answers_);
  }

 private:
  void refill() {
    for (; next_ < targets_.size() && underway_ < kSideBySide; ++next_, ++underway_) {
      const Call call{.target = targets_[next_], .limit = limit_};
      calls_[next_] = std::make_unique<CurlCall>(EasyHandle{curl_easy_init()}, socket_, call, false);
      curl_easy_setopt(calls_[next_]->easy(), CURLOPT_PRIVATE, reinterpret_cast<char*>(next_));
      curl_multi_add_handle(multi_.get(), calls_[next_]->easy());
    }
  }
  void collect() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      char* place = nullptr;
      curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &place);
      const auto i = reinterpret_cast<std::size_t>(place);
      answers_[i] = calls_[i]->finish(message->data.result);
      curl_multi_remove_handle(multi_.get(), calls_[i]->easy());
      calls_[i].reset();
      --underway_;
    }
  }

  const std::string& socket_;
  const std::vector<std::string>& targets_;
  const std::chrono::milliseconds limit_;
  std::vector<std::unique_ptr<CurlCall>> calls_;
  std::vector<Result<Answer>> answers_;
  MultiHandle multi_;
  std::size_t next_ = 0;
  std::size_t underway_ = 0;
};

/// The one transfer of `multi` once it is done.
std::optional<CURLcode> done_code(CURLM* multi) {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi, &left)) {
    if (message->msg == CURLMSG_DONE) return message->data.result;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Result<Answer>> Transport::read_all(const std::vector<std::string>& targets,
                                                std::chrono::milliseconds limit) {
  return Volley{impl_->socket, targets, limit}.run();
}

Result<Answer> Transport::stream(const Stream& stream, std::stop_token stop) {
  const Call call{.method = stream.method,
                  .target = stream.target,
                  .limit = stream.limit.value_or(std::chrono::milliseconds{0})};
  CurlCall curl{EasyHandle{curl_easy_init()}, impl_->socket, call, stream.method != "GET"};
  auto heard = std::chrono::steady_clock::now();
  const std::function<bool(std::string_view)> sink = [&](std::string_view bytes) {
    heard = std::chrono::steady_clock::now();
    return stream.sink(bytes);
  };
  curl.stream_to(&sink, &stream.opened);
  const MultiHandle multi{curl_multi_init()};
  curl_multi_add_handle(multi.get(), curl.easy());
  const std::stop_callback wake{stop, [&] { curl_multi_wakeup(multi.get()); }};
  const auto began = std::chrono::steady_clock::now();
  Result<Answer> outcome = Answer{.status = 200, .body = {}};
  while (!stop.stop_requested()) {
    int running = 0;
    curl_multi_perform(multi.get(), &running);
    if (const auto code = done_code(multi.get())) {
      outcome = curl.finish(*code);
      break;
    }
    // Where a limit is given, that is the bound of the head too; 0 is none.
    if (!stream.limit && !curl.head_seen() && std::chrono::steady_clock::now() - began > kBound) {
      outcome =
          fail(Errc::timeout, "engine socket " + impl_->socket + ": no response head within the time bound");
      break;
    }
    if (stream.silence && std::chrono::steady_clock::now() - heard > *stream.silence) {
      outcome = fail(Errc::timeout, "engine socket " + impl_->socket + ": silent for " +
                                        std::to_string(stream.silence->count() / 1000) + " s");
      break;
    }
    curl_multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
  }
  curl_multi_remove_handle(multi.get(), curl.easy());
  return outcome;
}

}  // namespace berth::holder::engine
