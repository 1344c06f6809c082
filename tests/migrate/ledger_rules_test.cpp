// The ledger's rules, each tried with plain SQL: whoever has the file open cannot break them by mistake.
#include "catch.h"
#include "migrate/ledger.h"
#include "tests/migrate/fake_fleet.h"

using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

namespace {

/// A store after step 2 of four machines, and statements typed into it.
struct Typed : Fleet {
  Typed() {
    REQUIRE(run(2)->kind == Kind::done);
    store.emplace(open_store());
  }
  /// What the store says of a statement: empty when it was let through.
  std::string type(const std::string& sql) {
    const std::string_view text = sql;
    const auto ran = store->run(berth::store::Query<void()>{text});
    return ran ? "" : ran.error().detail;
  }
  std::string rows(const std::string& sql) {
    const auto table = store->table(sql, {});
    std::string text;
    for (const auto& row : table->rows) {
      for (const auto& value : row) {
        if (const auto* word = std::get_if<std::string>(&value)) text += *word + " ";
        if (const auto* n = std::get_if<std::int64_t>(&value)) text += std::to_string(*n) + " ";
      }
    }
    return text;
  }
  std::string state_of(int step, const std::string& machine) {
    return rows("SELECT state FROM step_run WHERE machine = '" + machine + "' AND step = " + std::to_string(step));
  }
  std::optional<berth::store::Store> store;
};

std::string set(int step, const std::string& machine, const std::string& what) {
  return "UPDATE step_run SET " + what + " WHERE step = " + std::to_string(step) + " AND machine = '" + machine + "'";
}

struct Try {
  std::string sql, refused_with;
};

void each_is_refused(Typed& ledger, const std::vector<Try>& tries) {
  const auto all = "SELECT migration, step, machine, state, attempt, push_id, proof, error FROM step_run ORDER BY step, machine";
  const auto before = ledger.rows(all);
  for (const auto& one : tries) {
    CAPTURE(one.sql);
    const auto said = ledger.type(one.sql);
    CAPTURE(said);
    CHECK(said.find(one.refused_with) != std::string::npos);
  }
  CHECK(ledger.rows(all) == before);
}

}  // namespace

TEST_CASE("plain SQL cannot move a step run but along its arrows", "[migrate][ledger]") {
  Typed ledger;
  const std::string arrows = "a step run moves pending, running, done or failed, backed_out";
  each_is_refused(ledger, {{set(3, "alder", "state = 'done', proof = '{}', ended_at = 't'"), arrows},
                           {set(3, "alder", "state = 'failed', error = 'x'"), arrows},
                           {set(3, "alder", "state = 'backed_out'"), arrows},
                           {set(2, "alder", "state = 'running'"), arrows},
                           {set(2, "alder", "state = 'failed', error = 'x'"), arrows},
                           {set(2, "alder", "state = 'pending'"), arrows},
                           {set(2, "alder", "state = 'finished'"), arrows},
                           {set(2, "alder", "step = 4"), "a step run keeps its migration, step and machine"},
                           {set(2, "alder", "machine = 'birch'"), "a step run keeps its migration, step and machine"},
                           {"DELETE FROM step_run", "a step run is never deleted"},
                           {"INSERT INTO step_run(migration, step, machine, state) "
                            "SELECT id, 5, 'elm', 'running' FROM migration",
                            "a step run begins as pending"},
                           {"INSERT INTO step_run(migration, step, machine, state) "
                            "SELECT migration, 6, 'alder', 'pending' FROM step_run LIMIT 1",
                            "CHECK constraint failed"}});
}

TEST_CASE("plain SQL cannot begin a step before the last is done on every machine that takes part",
          "[migrate][ledger]") {
  Typed ledger;
  const std::string order = "the step before is not done on every machine that is not set aside";
  each_is_refused(ledger, {{set(4, "alder", "state = 'running'"), order}, {set(5, "birch", "state = 'running'"), order}});
  REQUIRE(ledger.type(set(2, "cedar", "state = 'backed_out'")).empty());
  each_is_refused(ledger, {{set(3, "alder", "state = 'running'"), order}});
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = 'away' WHERE machine = 'cedar'").empty());
  CHECK(ledger.type(set(3, "alder", "state = 'running'")).empty());
}

TEST_CASE("plain SQL cannot bring in, add or back out a machine late, under a step that would wait for it", "[migrate][ledger]") {
  Typed ledger;
  const std::string waits = "a step is under way that would wait for this machine";
  const std::string rests = "the next step is under way on another machine and rests on this one";
  const std::string bring_in = "UPDATE migration_machine SET set_aside = NULL WHERE machine = 'cedar'";
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = 'away' WHERE machine = 'cedar'").empty());
  REQUIRE(ledger.type(set(2, "cedar", "state = 'backed_out'")).empty());
  REQUIRE(ledger.type(set(3, "alder", "state = 'running'")).empty());
  REQUIRE(ledger.type("INSERT INTO machine(name, machine_id) VALUES ('elm', 'e')").empty());
  const std::string add = "INSERT INTO migration_machine(migration, machine, machine_id) SELECT id, 'elm', 'e' FROM migration";
  each_is_refused(ledger, {{bring_in, waits}, {add, waits}, {set(2, "birch", "state = 'backed_out'"), rests}});
  REQUIRE(ledger.type(set(3, "alder", "state = 'failed', error = 'x'")).empty());
  CHECK(ledger.type(bring_in).empty());
  CHECK(ledger.type(add).empty());
  CHECK(ledger.type(set(2, "birch", "state = 'backed_out'")).empty());
}

TEST_CASE("plain SQL cannot bring in a machine whose own step is under way before its time", "[migrate][ledger]") {
  Typed ledger;
  REQUIRE(ledger.type(set(3, "alder", "state = 'running'")).empty());
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = 'away' WHERE machine = 'alder'").empty());
  CHECK(ledger.type(set(2, "birch", "state = 'backed_out'")).empty());  // where it runs is set aside
  each_is_refused(ledger, {{"UPDATE migration_machine SET set_aside = NULL WHERE machine = 'alder'",
                            "a step is under way that would wait for this machine"}});
}

TEST_CASE("plain SQL cannot begin step 5 while a machine is set aside", "[migrate][ledger]") {
  Typed ledger;
  ledger.store.reset();
  REQUIRE(ledger.run(4)->kind == Kind::done);
  ledger.store.emplace(ledger.open_store());
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = 'away' WHERE machine = 'cedar'").empty());
  each_is_refused(ledger, {{set(5, "alder", "state = 'running'"), "step 5 waits while a machine is set aside"}});
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = NULL WHERE machine = 'cedar'").empty());
  CHECK(ledger.type(set(5, "alder", "state = 'running'")).empty());
}

TEST_CASE("plain SQL cannot set a machine aside while step 5 runs on another, nor add one that is", "[migrate][ledger]") {
  Typed ledger;
  ledger.store.reset();
  REQUIRE(ledger.run(4)->kind == Kind::done);
  ledger.store.emplace(ledger.open_store());
  const std::string waits = "step 5 is under way on another machine and waits for all";
  const std::string cedar_aside = "UPDATE migration_machine SET set_aside = 'away' WHERE machine = 'cedar'";
  const std::string columns = " INTO migration_machine(migration, machine, machine_id, set_aside) ";
  REQUIRE(ledger.type("INSERT INTO machine(name, machine_id) VALUES ('elm', 'e')").empty());
  REQUIRE(ledger.type(set(5, "alder", "state = 'running'")).empty());
  each_is_refused(ledger, {{cedar_aside, waits},
                           {"INSERT" + columns + "SELECT id, 'elm', 'e', 'away' FROM migration", waits},
                           {"INSERT OR REPLACE" + columns + "SELECT id, 'cedar', 'c', 'away' FROM migration", waits}});
  // Where it hangs may itself be set aside; then nothing runs that would wait.
  REQUIRE(ledger.type("UPDATE migration_machine SET set_aside = 'it hangs' WHERE machine = 'alder'").empty());
  each_is_refused(ledger, {{cedar_aside, waits}});
  REQUIRE(ledger.type(set(5, "alder", "state = 'failed', error = 'x'")).empty());
  CHECK(ledger.type(cedar_aside).empty());
}

TEST_CASE("plain SQL can set aside each of several machines on which step 5 hangs", "[migrate][ledger]") {
  Typed ledger;
  ledger.store.reset();
  REQUIRE(ledger.run(4)->kind == Kind::done);
  ledger.store.emplace(ledger.open_store());
  for (const std::string machine : {"alder", "birch"}) REQUIRE(ledger.type(set(5, machine, "state = 'running'")).empty());
  for (const std::string machine : {"alder", "birch"}) {
    CAPTURE(machine);
    CHECK(ledger.type("UPDATE migration_machine SET set_aside = 'lost' WHERE machine = '" + machine + "'").empty());
  }
}

TEST_CASE("plain SQL cannot change a done step's proof, nor back out any but the highest", "[migrate][ledger]") {
  Typed ledger;
  const std::string fixed = "the proof of a done step never changes";
  each_is_refused(ledger,
                  {{set(2, "alder", "proof = '{}'"), fixed},
                   {set(2, "alder", "proof = NULL"), fixed},
                   {set(2, "alder", "state = 'backed_out', proof = '{}'"), fixed},
                   {set(1, "alder", "state = 'backed_out'"), "only the highest done step of a machine can be backed out"}});
  CHECK(ledger.type(set(2, "alder", "state = 'backed_out'")).empty());
  CHECK(ledger.type(set(1, "alder", "state = 'backed_out'")).empty());
  CHECK(ledger.type(set(1, "alder", "state = 'running'")).empty());
  each_is_refused(ledger, {{set(1, "alder", "state = 'done', proof = 'no json', ended_at = 't'"), "CHECK constraint failed"},
                           {set(1, "alder", "state = 'done', proof = NULL, ended_at = 't'"), "CHECK constraint failed"},
                           {set(1, "alder", "state = 'failed', error = NULL"), "CHECK constraint failed"}});
}

TEST_CASE("a row put over another by plain SQL changes nothing", "[migrate][ledger]") {
  Typed ledger;
  CHECK(ledger.type("INSERT OR REPLACE INTO step_run(migration, step, machine, state) "
                    "SELECT migration, step, machine, 'pending' FROM step_run WHERE step = 2")
            .empty());
  CHECK(ledger.state_of(2, "alder") == "done ");
}

TEST_CASE("plain SQL cannot open two migrations on one machine", "[migrate][ledger]") {
  Typed ledger;
  const auto second = [](const std::string& id) {
    return "INSERT INTO migration(id, fleet, document, hash, runner, token, opened_at) VALUES ('" + id +
           "', 'mesh', '{}', 'h', 'other', 9, 't')";
  };
  REQUIRE(ledger.type(second("second")).empty());
  const std::string join = "INSERT INTO migration_machine(migration, machine, machine_id) SELECT 'second', name, machine_id FROM machine";
  each_is_refused(ledger, {{join, "this machine has an open migration already"}});
  REQUIRE(ledger.type("UPDATE migration SET closed_at = 't' WHERE id <> 'second'").empty());
  REQUIRE(ledger.type(join).empty());
  each_is_refused(ledger, {{"UPDATE migration SET closed_at = NULL WHERE id <> 'second'",
                            "a machine of this migration has another open one"}});
}

TEST_CASE(
    "plain SQL cannot open a second migration of a machine by putting a row over another, nor by moving one",
    "[migrate][ledger]") {
  Typed ledger;
  const std::string columns =
      "INSERT INTO migration(id, fleet, document, hash, runner, token, opened_at, closed_at) VALUES ('";
  const std::string values = "', 'mesh', '{}', 'h', 'other', 9, 't', ";
  REQUIRE(ledger.type("UPDATE migration SET closed_at = 't'").empty());
  REQUIRE(ledger.type(columns + "second" + values + "NULL)").empty());
  REQUIRE(ledger
              .type("INSERT INTO migration_machine(migration, machine, machine_id) SELECT 'second', name, "
                    "machine_id FROM machine")
              .empty());
  each_is_refused(
      ledger,
      {{"INSERT OR REPLACE INTO migration SELECT id, fleet, document, hash, runner, token, opened_at, NULL "
        "FROM migration WHERE id <> 'second'",
        "this migration is there already"}});
  REQUIRE(ledger.type("UPDATE migration SET closed_at = 't' WHERE id = 'second'").empty());
  REQUIRE(ledger.type(columns + "third" + values + "NULL)").empty());
  REQUIRE(ledger.type(columns + "fourth" + values + "NULL)").empty());
  const std::string keeps = "a machine of a migration keeps its migration and name";
  each_is_refused(
      ledger,
      {{"UPDATE migration_machine SET migration = 'third' WHERE migration = 'second'", keeps},
       {"UPDATE migration_machine SET machine = 'birch' WHERE migration = 'second' AND machine = 'alder'",
        keeps}});
  CHECK(ledger.rows("SELECT count(*) FROM migration WHERE closed_at IS NULL AND id IN (SELECT migration FROM "
                    "migration_machine)") == "0 ");
}

TEST_CASE("plain SQL cannot make a fencing token smaller, nor forget it", "[migrate][ledger]") {
  Typed ledger;
  each_is_refused(ledger, {{"UPDATE lease SET token = token - 1", "a fencing token only grows"},
                           {"INSERT OR REPLACE INTO lease VALUES ('mesh', 'other', 0, 't')", "a fencing token only grows"},
                           {"UPDATE lease SET fleet = 'elsewhere'", "a lease keeps its fleet"},
                           {"DELETE FROM lease", "a lease is never deleted: its token must be remembered"}});
  CHECK(ledger.type("UPDATE lease SET token = token + 1").empty());
}

TEST_CASE("plain SQL cannot rewrite who ran and what came of each attempt", "[migrate][ledger]") {
  Typed ledger;
  each_is_refused(ledger, {{"UPDATE step_history SET runner = 'nobody'", "step_history is history: no update"},
                           {"DELETE FROM step_history", "step_history is history: no delete"},
                           {"INSERT OR REPLACE INTO step_history SELECT * FROM step_history",
                            "step_history is history: this row is there already"},
                           {"UPDATE migration_run SET runner = 'nobody'", "migration_run is history: no update"},
                           {"DELETE FROM migration_run", "migration_run is history: no delete"}});
  // A move by plain SQL is remembered too, with the runner that the ledger knows.
  REQUIRE(ledger.type(set(2, "alder", "state = 'backed_out', ended_at = 't'")).empty());
  CHECK(ledger.rows("SELECT step, machine, state, runner FROM step_history ORDER BY seq DESC LIMIT 1") ==
        "2 alder backed_out operator@desk ");
}
