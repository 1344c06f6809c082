#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// What is wrong with containers, in words: by what the engine says of each, by how often it was seen to start, and
/// by whether its process is there. One call of `problems`, one thread.
class Ailments {
 public:
  /// `all` as they were just inspected.
  static Result<Ailments> look(Session& session, const std::vector<engine::Inspected>& all);

  /// Empty for a container that is well.
  Result<std::vector<std::string>> of(const engine::Inspected& container) const;

 private:
  explicit Ailments(Session& session) : session_(session) {}
  Result<bool> lost_its_process(const engine::Inspected& container) const;
  bool has_process(std::int64_t pid) const;

  Session& session_;
  std::map<std::string, std::int64_t> starts_;  // of the last hour, of those that started often
  bool sees_processes_ = false;
};

}  // namespace berth::holder::verbs
