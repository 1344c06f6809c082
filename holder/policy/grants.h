#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"

namespace berth::holder::policy {

enum class VerbClass { read, act };

/// Which bus caller may call what on this machine. A verb that changes something is reached by its name
/// alone: "*" grants the reading verbs, whatever class stands beside it. Immutable once read.
class Grants {
 public:
  /// The seat file's list: [{"caller", "verbs": […], "class": "read" | "act"}]. `path` names it in errors.
  /// A tool's name ("docker_stop") is its verb's.
  static Result<Grants> parse(const Json& list, const std::string& path);

  bool allows(std::string_view caller, std::string_view verb, VerbClass verb_class) const;

 private:
  struct Granted {
    std::set<std::string, std::less<>> read, act;
  };
  std::map<std::string, Granted, std::less<>> callers_;
};

}  // namespace berth::holder::policy
