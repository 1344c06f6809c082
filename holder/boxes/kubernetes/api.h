#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "base/seam.h"
#include "holder/boxes/kubernetes/credentials.h"

namespace berth::holder::boxes::kubernetes {

/// The Kubernetes API over libcurl. Every call has 20 s. The server not answering, or answering for a backend
/// that does not (429, 502 to 504), is Errc::engine_unreachable; 404 not_found, 409 conflict, any other
/// refusal engine_refused with its status and message. A token that is no longer taken is read again, once.
/// Any thread; every changing call asks the seam first and is never sent twice.
class Api {
 public:
  Api(Credentials credentials, Seam& seam);
  ~Api();

  const Credentials& credentials() const { return credentials_; }
  Result<std::string> token() { return token_.text(); }

  Result<Json> get(const std::string& path);
  Result<Json> create(const std::string& path, const Json& object);
  /// With the resourceVersion in `object`: Errc::conflict when it changed since.
  Result<Json> replace(const std::string& path, const Json& object);
  /// Gone already is success. `uid`, if not empty: only the object that has it.
  Status remove(const std::string& path, const std::string& uid, std::chrono::seconds grace);

  /// Waits until `enough` says so of the object of that name in that list, or of there being none (null).
  /// Lists, then watches from the list's resourceVersion; a version that is too old (410) is listed anew, and
  /// so is a watch that the server ended. Errc::timeout when `limit` passes.
  using Enough = std::function<Result<bool>(const Json& object)>;
  Result<Json> wait_for(const std::string& list, const std::string& name, std::chrono::milliseconds limit,
                        const Enough& enough);

 private:
  struct Sent;
  struct Call;
  Result<Json> call(const Call& call);
  Result<Sent> send(const Call& call);
  Result<Sent> send_once(const Call& call);
  /// True when it was enough; false when the list must be asked again.
  Result<bool> watch(const std::string& list, const std::string& name, const std::string& version,
                     std::chrono::milliseconds limit, const Enough& enough, Json& seen);

  const Credentials credentials_;
  Seam& seam_;
  Token token_;
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

/// One object of a list answer; null when it is not in it.
Json named_in(const Json& list, const std::string& name);
/// A member by its path, null where there is none: at(pod, "status", "phase").
const Json& part(const Json& object, std::initializer_list<const char*> path);
std::string text_part(const Json& object, std::initializer_list<const char*> path);

}  // namespace berth::holder::boxes::kubernetes
