#pragma once
// A fleet whose operator loses the store, for the tests of `berth store rebuild`.
#include <string>
#include <vector>

#include "catch.h"
#include "migrate/ledger.h"
#include "tests/migrate/fake_fleet.h"

namespace berth::test {

/// A fleet whose operator loses the store.
struct Losing : Fleet {
  void lose() const {
    for (const auto* tail : {"", "-wal", "-shm", ".runner"})
      std::filesystem::remove(store_path().native() + tail);
  }
  Result<migrate::Rebuilt> rebuild(const std::vector<std::string>& without = {},
                                                 Seam* faults = nullptr) {
    using namespace std::chrono_literals;
    migrate::Waits waits{.poll = 1ms, .patience = 20ms, .push = 200ms, .event = 200ms, .release = 0s};
    return migrate::rebuild(
        document(), {.runner = "operator@desk", .program = "1.2.0", .to_step = 5, .machines = without},
        store_path(), {port, clock, faults == nullptr ? seam : *faults, waits}, listener, stop.get_token());
  }
  void takes_out(const std::string& machine) {
    auto store = open_store();
    REQUIRE(migrate::set_aside(document(), machine, "its disk is full", store).ok());
  }
  void brings_in(const std::string& machine) {
    auto store = open_store();
    REQUIRE(migrate::bring_in(document(), machine, store).ok());
  }
  bool has_store() const { return std::filesystem::exists(store_path()); }
  Json proof(int step, const std::string& machine) {
    auto store = open_store();
    migrate::Ledger ledger{store, migrate::newest_migration(store, "mesh").value()->id};
    return Json::parse(*ledger.run(step, machine).value().proof);
  }
  Json status() {
    auto store = open_store();
    return migrate::status(document(), store)->document;
  }
  std::string text(const std::string& sql) {
    auto store = open_store();
    std::string all;
    const auto table = store.table(sql, {}).value();
    for (const auto& row : table.rows) {
      for (const auto& value : row) {
        if (const auto* word = std::get_if<std::string>(&value)) all += *word + " ";
        if (const auto* n = std::get_if<std::int64_t>(&value)) all += std::to_string(*n) + " ";
      }
      all += "\n";
    }
    return all;
  }
};

inline void is_done(const Result<migrate::Rebuilt>& rebuilt) {
  INFO((rebuilt ? rebuilt->outcome.text : rebuilt.error().detail));
  REQUIRE(rebuilt.ok());
  REQUIRE(rebuilt->outcome.kind == migrate::Outcome::Kind::done);
}

inline std::string all_lost(const migrate::Rebuilt& rebuilt) {
  std::string text;
  for (const auto& loss : rebuilt.outcome.document["lost"])
    text += (loss["machine"].is_null() ? "fleet" : loss["machine"].get<std::string>()) + ": " +
            loss["what"].get<std::string>() + ": " + loss["why"].get<std::string>() + "\n";
  return text;
}

}  // namespace berth::test
