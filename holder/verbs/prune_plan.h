#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/json_fwd.h"
#include "holder/policy/prunable.h"
#include "holder/verbs/session.h"

namespace berth::holder::verbs {

/// What a dry run showed, by id. A run given it takes away nothing else; what has become used, tagged, held or
/// started since then stays.
struct PrunePlan {
  std::set<std::string> images, build_cache, containers;
  static Result<PrunePlan> parse(const Json& document);
  Json document() const;
};

/// What may go at this moment.
struct Prunable {
  std::vector<policy::MayDiscard> images, build_cache;
  std::vector<engine::Summary> containers;

  static Result<Prunable> find(Session& session, bool containers);
  void keep_only(const PrunePlan& plan);
};

}  // namespace berth::holder::verbs
