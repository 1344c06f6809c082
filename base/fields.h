#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth {

/// Parses one JSON document strictly: UTF-8, no BOM, no duplicate key at any level, depth at most
/// `max_depth`, nothing after it. `what` names the document in the error ("holder.json", "the request").
Result<Json> parse_json(std::string_view text, std::string_view what, int max_depth = 64);

/// Reads the members of one JSON object, remembering the first thing wrong and which members were asked
/// for; `finish` then says that first error, or names a member nobody asked for. `null` means absent.
///
///   Fields f{params, "params"};
///   const auto tail = f.integer("tail", 1, 2000, 200);
///   const auto name = f.text("name");
///   TRY(f.finish());
///
/// Borrows the object; one thread; after a failure every getter answers its default.
class Fields {
 public:
  Fields(const Json& object, std::string path);

  bool has(std::string_view key);
  std::string text(std::string_view key);                       // required, not empty
  std::string text(std::string_view key, std::string_view otherwise);
  std::optional<std::string> maybe_text(std::string_view key);
  std::string one_of(std::string_view key, std::initializer_list<std::string_view> allowed,
                     std::string_view otherwise);               // otherwise empty: required
  bool boolean(std::string_view key, bool otherwise);
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high);  // required
  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high, std::int64_t otherwise);
  std::vector<std::string> texts(std::string_view key);         // a list of strings, empty when absent
  const Json& object(std::string_view key);                     // {} when absent
  const Json& array(std::string_view key);                      // [] when absent
  const Json& any(std::string_view key);                        // null when absent

  /// Says that `key` is wrong; kept only if it is the first error.
  void refuse(std::string_view key, std::string reason, Errc code = Errc::bad_request);
  std::string path_of(std::string_view key) const;

  Status finish();

 private:
  const Json* find(std::string_view key);
  const Json* required(std::string_view key);

  const Json& object_;
  std::string path_;
  std::vector<std::string> asked_;
  std::optional<Error> error_;
};

}  // namespace berth
