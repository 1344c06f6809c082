#pragma once
// For the transport's sources alone: one request on one curl handle.
#include <curl/curl.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/owned.h"
#include "holder/engine/transport.h"

namespace berth::holder::engine {

using EasyHandle = CPtr<CURL, curl_easy_cleanup>;
using MultiHandle = CPtr<CURLM, curl_multi_cleanup>;
using HeaderList = CPtr<curl_slist, curl_slist_free_all>;

/// A handle set up for one call, and what came back so far. Stays where it is: curl keeps its address.
class CurlCall {
 public:
  CurlCall(EasyHandle easy, const std::string& socket, const Call& call, bool fresh);
  CurlCall(const CurlCall&) = delete;
  CurlCall& operator=(const CurlCall&) = delete;

  void stream_to(const std::function<bool(std::string_view)>* sink, const std::function<void()>* opened) {
    sink_ = sink;
    opened_ = opened;
  }
  CURL* easy() const { return easy_.get(); }
  EasyHandle take_easy() { return std::move(easy_); }
  bool head_seen() const { return head_seen_; }
  bool ended_by_sink() const { return ended_by_sink_; }
  /// Whether the socket's own rights kept us from connecting, as far as curl knows.
  bool was_denied(CURLcode code) const;

  /// The answer, or why there is none, once curl is done with the handle.
  Result<Answer> finish(CURLcode code);

 private:
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static int on_connected(void* self, char*, char*, int, int);
  static curl_socket_t on_connect(void* self, curlsocktype purpose, curl_sockaddr* address);
  bool take_body(std::string_view bytes);
  void head_ends();
  long status() const;
  void connect_with_help();
  long os_error() const;
  Error why_not(CURLcode code) const;

  EasyHandle easy_;
  std::string socket_;
  std::string method_;
  std::string body_;
  std::string url_;
  HeaderList headers_;
  Answer answer_;
  const std::function<bool(std::string_view)>* sink_ = nullptr;
  const std::function<void()>* opened_ = nullptr;
  std::string no_access_;       // why help gave no connection
  int connect_error_ = 0;       // where we connect ourselves
  OwnedFd handed_over_;         // until curl has connected what it will find it in the place of
  int connecting_ = -1;
  bool changing_ = false;
  bool head_seen_ = false;
  bool framed_ = false;  // the head said how long the body is, so an early end shows
  bool too_large_ = false;
  bool ended_by_sink_ = false;
};

}  // namespace berth::holder::engine
