#pragma once
#include <SQLiteCpp/Database.h>

#include <sstream>

#include "base/json.h"
#include "catch.h"
#include "cli/program.h"
#include "store/store.h"
#include "tests/support/fakes.h"

namespace berth::test {

/// The program run as a person does, with a store of its own.
struct Desk {
  struct Said {
    int status;
    std::string out;
    std::string err;
  };

  Said berth(std::vector<std::string> words, bool colour = false) {
    words.insert(words.begin(), {"--store", file.native()});
    std::ostringstream out;
    std::ostringstream err;
    const int status = cli::run(words, out, err, colour, clock, seam);
    return {status, out.str(), err.str()};
  }
  Json json(std::vector<std::string> words) {
    words.insert(words.begin(), {"--output", "json"});
    const auto said = berth(std::move(words));
    INFO(said.err);
    REQUIRE(said.status == 0);
    return Json::parse(said.out);
  }
  /// Rows put in past the program.
  void sql(const std::string& text) {
    if (auto made = store::Store::open(file, store::Role::fleet, clock, seam); !made) FAIL(made.error().detail);
    SQLite::Database{file.native(), SQLite::OPEN_READWRITE}.exec(text);
  }

  TempFolder folder;
  HandClock clock;
  ScriptedSeam seam;
  std::filesystem::path file = folder / "fleet.db";
};

}  // namespace berth::test
