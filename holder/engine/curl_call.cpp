#include "holder/engine/curl_call.h"

#include <strings.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "holder/engine/access.h"
#include "holder/engine/stand_in.h"

namespace berth::holder::engine {
namespace {

bool starts_with_name(std::string_view line, std::string_view name) {
  return line.size() >= name.size() && ::strncasecmp(line.data(), name.data(), name.size()) == 0;
}

/// What a failed connect means to a person who must repair it.
std::string_view cause_of(long os_error) {
  switch (os_error) {
    case ENOENT:
    case ENOTDIR:
      return "missing";
    case EACCES:
    case EPERM:
      return "permission";
    case ECONNREFUSED:
    case ENOTSOCK:
    case EPROTOTYPE:
      return "refused";
    default:
      return "closed";
  }
}

}  // namespace

CurlCall::CurlCall(EasyHandle easy, const std::string& socket, const Call& call, bool fresh)
    : easy_(std::move(easy)),
      socket_(socket),
      method_(call.method),
      body_(call.body),
      url_("http://engine" + call.target),
      changing_(fresh) {
  CURL* handle = easy_.get();
  curl_easy_reset(handle);
  auto* list = curl_slist_append(nullptr, "Expect:");
  list = curl_slist_append(list, ("Content-Type: " + call.content_type).c_str());
  headers_.reset(list);
  if (connects_with_help())
    connect_with_help();
  else
    curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, socket_.c_str());
  curl_easy_setopt(handle, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kBound.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(call.limit.count()));
  if (call.silence.count() > 0) {
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>((call.silence.count() + 999) / 1000));
  }
  curl_easy_setopt(handle, CURLOPT_FRESH_CONNECT, fresh ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, &CurlCall::on_header);
  curl_easy_setopt(handle, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &CurlCall::on_body);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, this);
  if (method_ == "GET") return;
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method_.c_str());
  if (method_ != "POST") return;
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body_.data());
}

void CurlCall::connect_with_help() {
  CURL* handle = easy_.get();
  curl_easy_setopt(handle, CURLOPT_ABSTRACT_UNIX_SOCKET, StandIn::instance().name().c_str());
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &CurlCall::on_connect);
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, &CurlCall::on_connected);
  curl_easy_setopt(handle, CURLOPT_PREREQDATA, this);
}

std::size_t CurlCall::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  auto& call = *static_cast<CurlCall*>(self);
  const std::string_view line{data, size * count};
  if (starts_with_name(line, "HTTP/")) call.framed_ = false;
  if (starts_with_name(line, "content-length:") || starts_with_name(line, "transfer-encoding:"))
    call.framed_ = true;
  if (line == "\r\n" || line == "\n") call.head_ends();
  return line.size();
}

void CurlCall::head_ends() {
  if (status() >= 100 && status() < 200) return;  // the head proper comes after it
  head_seen_ = true;
  const bool taken = status() >= 200 && status() < 300;
  if (taken && opened_ != nullptr && *opened_) (*opened_)();
}

std::size_t CurlCall::on_body(char* data, std::size_t size, std::size_t count, void* self) {
  return static_cast<CurlCall*>(self)->take_body({data, size * count}) ? size * count : 0;
}

curl_socket_t CurlCall::on_connect(void* self, curlsocktype, curl_sockaddr*) {
  auto& call = *static_cast<CurlCall*>(self);
  auto made = connect_engine(call.socket_);
  call.no_access_ = made.why;
  call.connect_error_ = made.fd ? 0 : made.os_error;
  if (!made.fd) return CURL_SOCKET_BAD;
  call.handed_over_ = std::move(made.fd);
  call.connecting_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);  // curl's, which closes it
  return call.connecting_ < 0 ? CURL_SOCKET_BAD : call.connecting_;
}

/// A connection that is used again was given its descriptor before.
int CurlCall::on_connected(void* self, char*, char*, int, int) {
  auto& call = *static_cast<CurlCall*>(self);
  if (!call.handed_over_) return CURL_PREREQFUNC_OK;
  const bool done = StandIn::instance().replace(call.connecting_, std::move(call.handed_over_));
  return done ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

bool CurlCall::take_body(std::string_view bytes) {
  if (sink_ != nullptr && status() >= 200 && status() < 300) {
    ended_by_sink_ = !(*sink_)(bytes);
    return !ended_by_sink_;
  }
  too_large_ = answer_.body.size() + bytes.size() > kMaxAnswer;
  if (!too_large_) answer_.body.append(bytes);
  return !too_large_;
}

long CurlCall::status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

long CurlCall::os_error() const {
  if (connect_error_ != 0) return connect_error_;
  long error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &error);
  return error;
}

bool CurlCall::was_denied(CURLcode code) const { return code == CURLE_COULDNT_CONNECT && os_error() == EACCES; }

Error CurlCall::why_not(CURLcode code) const {
  const std::string where = "engine socket " + socket_ + ": ";
  const std::string unknown = changing_ ? "; whether it took effect is unknown" : "";
  if (too_large_)
    return fail(Errc::too_large,
                where + "the answer is larger than " + std::to_string(kMaxAnswer) + " bytes");
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fail(Errc::timeout, where + "no answer within the time bound" + unknown);
  if (code == CURLE_COULDNT_CONNECT) {
    const auto why = no_access_.empty() ? std::string{std::strerror(static_cast<int>(os_error()))} : no_access_;
    return fail(Errc::engine_unreachable, where + std::string{cause_of(os_error())} + " (" + why + ")");
  }
  const std::string what = code == CURLE_OK ? "the answer has no stated end" : curl_easy_strerror(code);
  return fail(Errc::engine_unreachable, where + "closed (" + what + ")" + unknown);
}

Result<Answer> CurlCall::finish(CURLcode code) {
  answer_.status = static_cast<int>(status());
  if (ended_by_sink_) return std::move(answer_);
  const bool has_body = answer_.status != 204 && answer_.status != 304;
  if (code != CURLE_OK || (has_body && !framed_)) return why_not(code);
  return std::move(answer_);
}

}  // namespace berth::holder::engine
