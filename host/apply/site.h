#pragma once
#include <chrono>
#include <functional>
#include <string>

#include "base/clock.h"
#include "base/seam.h"
#include "host/apply/push.h"
#include "host/config/config.h"
#include "host/path/select.h"
#include "host/resources/packages.h"
#include "host/resources/resource.h"
#include "host/resources/units.h"

namespace berth::host::apply {

/// The machine and the release an apply works in: everything that comes from outside, so that a test can
/// stand in for any of it. Lives as long as what borrows it; one thread.
struct Site {
  const Config& config;
  path::Linked linked;  // what this release was built with
  Seam& seam;
  const Clock& clock;
  resources::Units& units;
  resources::Packages& packages;
  resources::Stager* stager = nullptr;
  std::string root;        // "" on a machine
  std::string machine_id;  // 32 hex
  std::string version;     // this release
  Types types = resources::find_type;
  std::function<void(std::chrono::milliseconds)> pause = resources::pause_for;  // between two looks at the engine
  resources::Accounts* accounts = nullptr;                                     // null: the machine's own
  std::size_t made_at_once = 4;  // containers that are made side by side: starting one is mostly waiting

  std::string holder_socket() const { return root + config.holder_socket; }

  resources::World world(path::Path* path) const {
    resources::World world{seam, clock, units, packages};
    world.path = path;
    world.root = root;
    world.stager = stager;
    world.engine_file = config.engine_file;
    world.engine_unit = config.engine_unit;
    world.pause = pause;
    world.accounts = accounts;
    return world;
  }
};

}  // namespace berth::host::apply
