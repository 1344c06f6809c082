#pragma once
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/apply/run.h"

namespace berth::host::apply {

/// Containers that follow each other in a plan. What each will be is durable, in one transaction, before the
/// first is touched. Those that are only made are made side by side, a whole push's excepted; whatever
/// touches one that is there waits for all before it and is done alone.
class ContainerStep {
 public:
  ContainerStep(Run& run, std::span<const Item> items) : run_(run), items_(items) {}
  Status go();

 private:
  struct Due {
    const Item* item;
    Record record;
  };
  struct Done {
    const Due* due;
    resources::Acted acted;
  };

  Status intend();
  Status look_at_all(std::vector<Run::Intent>& intents);
  std::size_t made_at_once() const;
  std::span<const Due> only_made(std::span<const Due> dues, const std::vector<path::Seen>& there);
  Status make_side_by_side(std::span<const Due> dues, const std::vector<path::Seen>& there);
  Status finish(const Due& due, Result<resources::Acted> acted);
  Status keep();
  Status all_failed(std::span<const Due> dues, const Error& error);

  Run& run_;
  std::span<const Item> items_;
  std::vector<Due> dues_;
  std::vector<Done> unkept_;    // done, and not yet durable
  std::set<std::string> made_;  // networks and volumes that are there by now
};

}  // namespace berth::host::apply
