#include "host/release/fetch.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/file.h"
#include "base/owned.h"

namespace berth::host::release {
namespace {

using Curl = CPtr<CURL, curl_easy_cleanup>;

constexpr std::int64_t kMost = std::int64_t{1} << 30;

struct Sink {
  int fd;
  std::int64_t written = 0;
  bool too_large = false;
  int error = 0;
  std::array<char, CURL_ERROR_SIZE> said{};  // what curl says of its failure; may stay empty
};

std::size_t write_block(char* bytes, std::size_t, std::size_t size, void* to) {
  auto& sink = *static_cast<Sink*>(to);
  sink.written += static_cast<std::int64_t>(size);
  if (sink.written > kMost) {
    sink.too_large = true;
    return 0;
  }
  std::size_t done = 0;
  while (done < size) {
    const auto n = ::write(sink.fd, bytes + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      sink.error = errno;
      return 0;
    }
    done += static_cast<std::size_t>(n);
  }
  return size;
}

void set_options(CURL* curl, const std::string& url, const std::string& authority, Sink& sink) {
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
#if CURL_AT_LEAST_VERSION(7, 85, 0)
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "file,http,https");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS, long{CURLPROTO_FILE | CURLPROTO_HTTP | CURLPROTO_HTTPS});
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS, long{CURLPROTO_HTTP | CURLPROTO_HTTPS});
#endif
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, 20L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 20L);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, write_block);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sink);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, sink.said.data());
  if (!authority.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, authority.c_str());
}

}  // namespace

Status fetch(const std::string& url, const std::filesystem::path& file, const std::string& authority, Seam& seam) {
  if (!url.starts_with("file://") && !url.starts_with("http://") && !url.starts_with("https://")) {
    return fail_field(Errc::bad_request, "artifact",
                      "\"" + url + "\" is no file://, http:// or https:// address");
  }
  TRY(seam.before("release.fetch", url));
  const OwnedFd fd{::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  if (!fd) return errno_error("create", file.native(), errno);
  const Curl curl{curl_easy_init()};
  if (!curl) return fail(Errc::failed, "fetch " + url + ": no memory");
  Sink sink{.fd = fd.get()};
  set_options(curl.get(), url, authority, sink);
  const auto code = curl_easy_perform(curl.get());
  if (sink.too_large)
    return fail(Errc::too_large, "fetch " + url + ": larger than " + std::to_string(kMost) + " bytes");
  if (sink.error != 0) return errno_error("write", file.native(), sink.error);
  if (code != CURLE_OK) {
    const std::string said{sink.said.data()};
    return fail(Errc::failed, "fetch " + url + ": " + (said.empty() ? curl_easy_strerror(code) : said));
  }
  if (::fsync(fd.get()) != 0) return errno_error("fsync", file.native(), errno);
  return {};
}

}  // namespace berth::host::release
