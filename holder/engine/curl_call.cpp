#include "holder/engine/curl_call.h"

#include <strings.h>

#include <cerrno>
#include <cstring>

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
  curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, socket_.c_str());
  curl_easy_setopt(handle, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kBound.count()));
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, static_cast<long>(call.limit.count()));
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

Error CurlCall::why_not(CURLcode code) const {
  const std::string where = "engine socket " + socket_ + ": ";
  const std::string unknown = changing_ ? "; whether it took effect is unknown" : "";
  if (too_large_)
    return fail(Errc::too_large,
                where + "the answer is larger than " + std::to_string(kMaxAnswer) + " bytes");
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fail(Errc::timeout, where + "no answer within the time bound" + unknown);
  long os_error = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &os_error);
  if (code == CURLE_COULDNT_CONNECT) {
    return fail(Errc::engine_unreachable, where + std::string{cause_of(os_error)} + " (" +
                                              std::strerror(static_cast<int>(os_error)) + ")");
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
