#include "holder/boxes/kubernetes/api.h"

#include <curl/curl.h>

#include "base/fields.h"
#include "base/json.h"
#include "base/owned.h"

namespace berth::holder::boxes::kubernetes {
namespace {

using std::chrono::milliseconds;
using Easy = CPtr<CURL, curl_easy_cleanup>;
using Lines = CPtr<curl_slist, curl_slist_free_all>;

constexpr milliseconds kCallBound{20'000};
constexpr std::size_t kMostAnswer = std::size_t{32} << 20;
constexpr std::size_t kMostLine = std::size_t{4} << 20;
constexpr std::size_t kKept = 4;

/// What the server said of a refusal: a Status object, or whatever text came.
std::string message_in(const std::string& body) {
  const auto document = Json::parse(body, nullptr, false);
  auto text = document.is_object() ? document.value("message", std::string{}) : body;
  if (text.size() > 1024) text.resize(1024);
  return text;
}

Errc code_for(long status) {
  if (status == 404) return Errc::not_found;
  if (status == 409) return Errc::conflict;
  const bool behind_it = status == 429 || (status >= 502 && status <= 504);
  return behind_it ? Errc::engine_unreachable : Errc::engine_refused;
}

Error refused(long status, const std::string& body, const std::string& doing) {
  auto error = fail(code_for(status),
                    doing + ": the API server answered " + std::to_string(status) + ": " + message_in(body));
  error.engine_status = static_cast<int>(status);
  error.engine_message = message_in(body);
  return error;
}

curl_blob blob_of(const std::string& bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_COPY};
}

void start_curl() {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  static_cast<void>(started);
}

}  // namespace

const Json& part(const Json& object, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* at = &object;
  for (const auto* key : path) {
    if (!at->is_object()) return kNothing;
    const auto found = at->find(key);
    if (found == at->end()) return kNothing;
    at = &*found;
  }
  return *at;
}

std::string text_part(const Json& object, std::initializer_list<const char*> path) {
  const auto& value = part(object, path);
  return value.is_string() ? value.get<std::string>() : std::string{};
}

Json named_in(const Json& list, const std::string& name) {
  const auto& items = part(list, {"items"});
  if (!items.is_array()) return {};
  for (const auto& item : items)
    if (text_part(item, {"metadata", "name"}) == name) return item;
  return {};
}

struct Api::Call {
  std::string method = "GET", path, body = {};
  milliseconds limit = kCallBound;
  std::function<bool(std::string_view)> sink = {};  // of a 2xx body; false ends it
  std::string act = {};                             // asked of the seam
};
struct Api::Sent {
  long status = 0;
  std::string body;
  bool ended_by_sink = false;
};
struct Api::Handles {
  Guarded<std::vector<Easy>> idle;
};

Api::Api(Credentials credentials, Seam& seam)
    : credentials_(std::move(credentials)),
      seam_(seam),
      token_(credentials_.token, credentials_.token_file),
      handles_(std::make_unique<Handles>()) {
  start_curl();
}
Api::~Api() = default;

namespace {

/// What comes back for one call. Stays where it is: curl keeps its address.
struct Incoming {
  CURL* easy = nullptr;
  const std::function<bool(std::string_view)>* sink = nullptr;
  std::string body;
  bool too_large = false, ended_by_sink = false;

  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self) {
    return static_cast<Incoming*>(self)->add({data, size * count}) ? size * count : 0;
  }
  bool add(std::string_view bytes) {
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (*sink && status >= 200 && status < 300) {
      ended_by_sink = !(*sink)(bytes);
      return !ended_by_sink;
    }
    too_large = body.size() + bytes.size() > kMostAnswer;
    if (!too_large) body.append(bytes);
    return !too_large;
  }
};

void put_credentials(CURL* easy, const Credentials& credentials) {
  auto ca = blob_of(credentials.ca_pem);
  auto cert = blob_of(credentials.cert_pem);
  auto key = blob_of(credentials.key_pem);
  if (!credentials.ca_pem.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
  if (credentials.cert_pem.empty()) return;
  curl_easy_setopt(easy, CURLOPT_SSLCERTTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLCERT_BLOB, &cert);
  curl_easy_setopt(easy, CURLOPT_SSLKEYTYPE, "PEM");
  curl_easy_setopt(easy, CURLOPT_SSLKEY_BLOB, &key);
}

}  // namespace

Result<Api::Sent> Api::send_once(const Call& call) {
  Easy easy;
  handles_->idle.with([&](auto& idle) {
    if (!idle.empty()) easy = std::move(idle.back()), idle.pop_back();
  });
  if (!easy) easy.reset(curl_easy_init());
  curl_easy_reset(easy.get());
  const auto url = credentials_.server + call.path;
  Lines lines{curl_slist_append(nullptr, "Accept: application/json")};
  const auto add = [&](const std::string& line) {
    lines.reset(curl_slist_append(lines.release(), line.c_str()));
  };
  if (const auto token = TRY(token_.text()); !token.empty()) add("Authorization: Bearer " + token);
  add("Content-Type: application/json");
  add("Expect:");
  Incoming incoming{.easy = easy.get(), .sink = &call.sink, .body = {}};
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, lines.get());
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(call.limit.count()));
  curl_easy_setopt(easy.get(), CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(kCallBound.count()));
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &Incoming::take);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &incoming);
  curl_easy_setopt(easy.get(), CURLOPT_CUSTOMREQUEST, call.method.c_str());
  // A kept connection that turns out dead would have the library send a change again by itself.
  curl_easy_setopt(easy.get(), CURLOPT_FRESH_CONNECT, call.method == "GET" ? 0L : 1L);
  put_credentials(easy.get(), credentials_);
  if (!call.body.empty()) {
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
    curl_easy_setopt(easy.get(), CURLOPT_POSTFIELDS, call.body.data());
  }
  const auto code = curl_easy_perform(easy.get());
  Sent sent{.status = 0, .body = std::move(incoming.body), .ended_by_sink = incoming.ended_by_sink};
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &sent.status);
  if (incoming.too_large)
    return fail(Errc::too_large, "API server " + credentials_.server + ": the answer is too large");
  const bool watched_to_the_end = code == CURLE_OPERATION_TIMEDOUT && call.sink && sent.status == 200;
  if (code == CURLE_OPERATION_TIMEDOUT && !watched_to_the_end)
    return fail(Errc::timeout, "API server " + credentials_.server + ": no answer within the time bound");
  if (code != CURLE_OK && !watched_to_the_end && !sent.ended_by_sink)
    return fail(Errc::engine_unreachable,
                "API server " + credentials_.server + ": " + curl_easy_strerror(code));
  if (code == CURLE_OK)
    handles_->idle.with([&](auto& idle) {
      if (idle.size() < kKept) idle.push_back(std::move(easy));
    });
  return sent;
}

Result<Api::Sent> Api::send(const Call& call) {
  if (!call.act.empty()) TRY(seam_.before(call.act, call.path));
  auto sent = TRY(send_once(call));
  if (sent.status == 401 && token_.renew()) sent = TRY(send_once(call));
  return sent;
}

Result<Json> Api::call(const Call& call) {
  const auto doing = call.method + " " + call.path.substr(0, call.path.find('?'));
  const auto sent = TRY(send(call));
  if (sent.status < 200 || sent.status > 299) return refused(sent.status, sent.body, doing);
  auto document = Json::parse(sent.body, nullptr, false);
  if (document.is_discarded())
    return fail(Errc::engine_refused, doing + ": the API server's answer is no JSON");
  return document;
}

Result<Json> Api::get(const std::string& path) { return call({.path = path}); }

Result<Json> Api::create(const std::string& path, const Json& object) {
  return call({.method = "POST", .path = path, .body = object.dump(), .act = "api.create"});
}

Result<Json> Api::replace(const std::string& path, const Json& object) {
  return call({.method = "PUT", .path = path, .body = object.dump(), .act = "api.replace"});
}

Status Api::remove(const std::string& path, const std::string& uid, std::chrono::seconds grace) {
  Json options = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"gracePeriodSeconds", grace.count()}};
  if (!uid.empty()) options["preconditions"] = {{"uid", uid}};
  const auto answer = call({.method = "DELETE", .path = path, .body = options.dump(), .act = "api.delete"});
  if (answer || answer.error().code == Errc::not_found) return {};
  return answer.error();
}

namespace {

/// The lines of a watch, one JSON document each, cut anywhere between two pieces.
class WatchLines {
 public:
  explicit WatchLines(std::function<bool(const Json&)> take) : take_(std::move(take)) {}
  bool operator()(std::string_view bytes) {
    text_.append(bytes);
    for (auto end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
      const auto line = Json::parse(text_.substr(0, end), nullptr, false);
      text_.erase(0, end + 1);
      if (!line.is_object() || !take_(line)) return false;
    }
    return text_.size() <= kMostLine;
  }

 private:
  std::function<bool(const Json&)> take_;
  std::string text_;
};

}  // namespace

Result<bool> Api::watch(const std::string& list, const std::string& name, const std::string& version,
                        milliseconds limit, const Enough& enough, Json& seen) {
  Result<bool> outcome = false;
  bool done = false;
  WatchLines lines{[&](const Json& line) {
    const auto type = text_part(line, {"type"});
    if (type == "ERROR")
      return false;  // 410: the version is too old; whatever it is, the list is asked again
    if (type == "BOOKMARK" || text_part(line, {"object", "metadata", "name"}) != name) return true;
    seen = type == "DELETED" ? Json{} : part(line, {"object"});
    outcome = enough(seen);
    done = !outcome || *outcome;
    return !done;
  }};
  const auto seconds = std::max<std::int64_t>(1, std::chrono::ceil<std::chrono::seconds>(limit).count());
  const Call call{.path = list + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version +
                          "&fieldSelector=metadata.name%3D" + name +
                          "&timeoutSeconds=" + std::to_string(seconds),
                  .limit = limit,
                  .sink = lines};
  const auto sent = TRY(send(call));
  if (done) return outcome;
  if (sent.status != 200 && sent.status != 410) return refused(sent.status, sent.body, "watch " + list);
  return false;
}

Result<Json> Api::wait_for(const std::string& list, const std::string& name, milliseconds limit,
                           const Enough& enough) {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto now = TRY(get(list + "?fieldSelector=metadata.name%3D" + name));
    auto seen = named_in(now, name);
    if (TRY(enough(seen))) return seen;
    const auto left = std::chrono::duration_cast<milliseconds>(until - std::chrono::steady_clock::now());
    if (left.count() <= 0)
      return fail(Errc::timeout,
                  name + ": not there yet after " + std::to_string(limit.count() / 1000) + " s");
    if (TRY(watch(list, name, text_part(now, {"metadata", "resourceVersion"}), left, enough, seen)))
      return seen;
  }
}

}  // namespace berth::holder::boxes::kubernetes
