#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

/// A store as any SQL program sees it: none of our code between the statement and the schema.
struct PlainWorld : StoreWorld {
  PlainWorld() {
    open();
    db = std::make_unique<SQLite::Database>(file.native(), SQLite::OPEN_READWRITE);
    db->exec("PRAGMA foreign_keys = ON");
  }
  std::string say(const std::string& sql) { return complaint(*db, sql); }
  void must(const std::string& sql) { REQUIRE(say(sql).empty()); }
  std::int64_t count(const std::string& of) { return db->execAndGet("SELECT count(*) FROM " + of).getInt64(); }
  std::string text(const std::string& sql) { return db->execAndGet(sql).getString(); }

  std::unique_ptr<SQLite::Database> db;
};

struct FleetRows : PlainWorld {
  FleetRows() {
    must("INSERT INTO machine(name, machine_id) VALUES ('alder', 'a'), ('birch', 'b')");
    must("INSERT INTO migration VALUES ('m1', 'mesh', '{}', 'h', 'r', 1, '2026-01-01T00:00:00Z', NULL)");
    must("INSERT INTO migration_machine VALUES ('m1', 'alder', 'a', NULL), ('m1', 'birch', 'b', NULL)");
    for (int step = 1; step <= 5; ++step) {
      for (const char* machine : {"alder", "birch"}) {
        must("INSERT INTO step_run(migration, step, machine, state) VALUES ('m1', " + std::to_string(step) + ", '" +
             machine + "', 'pending')");
      }
    }
  }
  std::string move(const std::string& machine, int step, const std::string& state) {
    const std::string more = state == "done" ? ", proof = '{\"ok\":1}', ended_at = 't'" : state == "failed" ? ", error = 'e'" : "";
    return say("UPDATE step_run SET state = '" + state + "'" + more + " WHERE machine = '" + machine +
               "' AND step = " + std::to_string(step));
  }
  void finish(int step) {
    for (const char* machine : {"alder", "birch"}) {
      REQUIRE(move(machine, step, "running").empty());
      REQUIRE(move(machine, step, "done").empty());
    }
  }
};

struct History {
  const char* table;
  const char* insert;
  const char* replace;
  const char* change;
  const char* time;  // the column that retention is about
};

const History kHistories[] = {
    {"runtime_event", "INSERT INTO runtime_event VALUES ('alder:x:1', 'alder', 1, 'died', '2026-01-02T00:00:00Z', 'c', '{}')",
     "INSERT OR REPLACE INTO runtime_event VALUES ('alder:x:1', 'alder', 1, 'gap', '2000-01-01T00:00:00Z', 'c', '{}')",
     "UPDATE runtime_event SET kind = 'started'", "at"},
    {"verb_call",
     "INSERT INTO verb_call VALUES (1, 'alder', '2026-01-02T00:00:00Z', 'bus', 'eve', 'stop', 'c', 'not_granted', NULL, 1)",
     "INSERT OR REPLACE INTO verb_call VALUES (1, 'alder', '2000-01-01T00:00:00Z', 'bus', 'eve', 'stop', 'c', 'ok', NULL, 1)",
     "UPDATE verb_call SET outcome = 'ok'", "at"},
    {"apply_report",
     "INSERT INTO apply_report VALUES ('alder', 'x', 1, '2026-01-02T00:00:00Z', NULL, 'failed', 'cli', '1', 'present', '{}')",
     "INSERT OR REPLACE INTO apply_report VALUES ('alder', 'x', 1, '2000-01-01T00:00:00Z', NULL, 'converged', 'cli', '1', "
     "'present', '{}')",
     "UPDATE apply_report SET path = 'holder'", "at"},
    {"config_snapshot", "INSERT INTO config_snapshot VALUES (1, 'alder', '2026-01-02T00:00:00Z', 's', '{}')",
     "INSERT OR REPLACE INTO config_snapshot VALUES (1, 'alder', '2000-01-01T00:00:00Z', 't', '{}')",
     "UPDATE config_snapshot SET sha256 = 't'", "taken_at"},
};

}  // namespace

TEST_CASE("history takes no update, no replacement, and no delete above the retention horizon", "[store][schema]") {
  for (const auto& history : kHistories) {
    CAPTURE(history.table);
    const std::string table = history.table;
    PlainWorld w;
    w.must("INSERT INTO machine(name, machine_id) VALUES ('alder', 'a')");
    w.must(history.insert);
    const auto before = w.text("SELECT min(" + std::string{history.time} + ") FROM " + table);

    CHECK_THAT(w.say(history.change), Contains("is history: no update"));
    CHECK_THAT(w.say("DELETE FROM " + table), Contains("above the retention horizon"));
    static_cast<void>(w.say(history.replace));  // refused or without effect
    CHECK(w.text("SELECT min(" + std::string{history.time} + ") FROM " + table) == before);

    w.must("INSERT INTO retention VALUES ('" + table + "', '2026-01-02T00:00:00Z')");
    CHECK_THAT(w.say("DELETE FROM " + table), Contains("above the retention horizon"));  // not below: at it
    w.must("UPDATE retention SET horizon = '2026-01-02T00:00:01Z'");
    w.must("DELETE FROM " + table);
    CHECK(w.count(table) == 0);
  }
}

TEST_CASE("a known event or report again changes nothing", "[store][schema]") {
  PlainWorld w;
  for (const auto* insert : {kHistories[0].insert, kHistories[2].insert}) {
    w.must(insert);
    w.must(insert);
  }
  CHECK(w.count("runtime_event") == 1);
  CHECK(w.count("apply_report") == 1);
}

TEST_CASE("every value of a record is kept, and its found state never changes once applied", "[store][schema]") {
  PlainWorld w;
  w.must("INSERT INTO resource_record VALUES ('alder', 'docker.daemon', 'docker', 'json', 'declared', 'intended', '{}', "
         "'{\"text\":\"first\"}', NULL, 'p1', 't1')");
  w.must("UPDATE resource_record SET found = '{\"text\":\"read again\"}', updated_at = 't2'");  // still intended
  w.must("UPDATE resource_record SET state = 'applied', updated_at = 't3'");
  CHECK_THAT(w.say("UPDATE resource_record SET found = '{}'"), Contains("found state never changes"));
  CHECK_THAT(w.say("UPDATE resource_record SET state = 'giving_back', found = '{}'"),
             Contains("found state never changes"));
  w.must("DELETE FROM resource_record");
  CHECK(w.text("SELECT group_concat(change, ' ') FROM resource_history") == "insert update update delete");
  CHECK(w.text("SELECT json_extract(before, '$.found.text') FROM resource_history WHERE change = 'delete'") ==
        "read again");
  CHECK_THAT(w.say("UPDATE resource_history SET at = 'x'"), Contains("no update"));
  CHECK_THAT(w.say("DELETE FROM resource_history"), Contains("no delete"));
}

TEST_CASE("a record's id, module and origin agree", "[store][schema]") {
  PlainWorld w;
  const auto record = [&](const std::string& id, const std::string& module, const std::string& origin) {
    return w.say("INSERT INTO resource_record VALUES ('alder', '" + id + "', " + module + ", 'file', '" + origin +
                 "', 'applied', '{}', '{}', NULL, NULL, 't')");
  };
  CHECK(record("docker.daemon", "'docker'", "declared").empty());
  CHECK(record("container-runtime", "NULL", "carried").empty());
  CHECK_FALSE(record("dns.daemon", "'docker'", "declared").empty());
  CHECK_FALSE(record("daemon", "NULL", "declared").empty());
  CHECK_FALSE(record("docker.x", "'docker'", "carried").empty());
}

TEST_CASE("a step run moves only along the arrows", "[store][schema]") {
  const std::vector<std::string> states{"pending", "running", "done", "failed", "backed_out"};
  const std::vector<std::pair<std::string, std::string>> arrows{
      {"pending", "running"}, {"running", "done"}, {"running", "failed"}, {"running", "backed_out"}, {"failed", "running"},
      {"failed", "backed_out"}, {"done", "backed_out"}, {"backed_out", "running"}};
  const std::map<std::string, std::vector<std::string>> way{{"pending", {}}, {"running", {"running"}},
      {"done", {"running", "done"}}, {"failed", {"running", "failed"}}, {"backed_out", {"running", "backed_out"}}};
  for (const auto& from : states) {
    for (const auto& to : states) {
      if (from == to) continue;
      CAPTURE(from, to);
      FleetRows w;
      for (const auto& state : way.at(from)) REQUIRE(w.move("alder", 1, state).empty());
      const bool allowed = std::find(arrows.begin(), arrows.end(), std::pair{from, to}) != arrows.end();
      const auto said = w.move("alder", 1, to);
      if (allowed) CHECK(said.empty());
      else CHECK_THAT(said, Contains("a step run moves"));
    }
  }
}

TEST_CASE("a step run begins pending, is done only with a proof, and neither leaves nor is replaced", "[store][schema]") {
  FleetRows w;
  CHECK_THAT(w.say("INSERT INTO migration_machine SELECT 'm1', 'cedar', 'c', NULL"), Contains("FOREIGN KEY"));
  REQUIRE(w.move("alder", 1, "running").empty());
  CHECK_THAT(w.say("UPDATE step_run SET state = 'done' WHERE machine = 'alder' AND step = 1"), Contains("CHECK"));
  CHECK_THAT(w.say("UPDATE step_run SET state = 'failed' WHERE machine = 'alder' AND step = 1"), Contains("CHECK"));
  REQUIRE(w.move("alder", 1, "done").empty());
  CHECK_THAT(w.say("UPDATE step_run SET proof = '{}' WHERE machine = 'alder' AND step = 1"),
             Contains("the proof of a done step never changes"));
  CHECK_THAT(w.say("UPDATE step_run SET machine = 'birch' WHERE machine = 'alder' AND step = 1"),
             Contains("keeps its migration, step and machine"));
  CHECK_THAT(w.say("DELETE FROM step_run"), Contains("never deleted"));
  w.must("INSERT OR REPLACE INTO step_run(migration, step, machine, state) VALUES ('m1', 1, 'alder', 'pending')");
  CHECK(w.text("SELECT state FROM step_run WHERE machine = 'alder' AND step = 1") == "done");
}

TEST_CASE("step n+1 waits for step n on every machine that is not set aside", "[store][schema]") {
  FleetRows w;
  REQUIRE(w.move("alder", 1, "running").empty());
  REQUIRE(w.move("alder", 1, "done").empty());
  CHECK_THAT(w.move("alder", 2, "running"), Contains("the step before is not done"));
  w.must("UPDATE migration_machine SET set_aside = 'in repair' WHERE machine = 'birch'");
  CHECK(w.move("alder", 2, "running").empty());
}

TEST_CASE("step 5 waits while a machine is set aside", "[store][schema]") {
  FleetRows w;
  for (int step = 1; step <= 4; ++step) w.finish(step);
  w.must("UPDATE migration_machine SET set_aside = 'in repair' WHERE machine = 'birch'");
  CHECK_THAT(w.move("alder", 5, "running"), Contains("set aside"));
  w.must("UPDATE migration_machine SET set_aside = NULL WHERE machine = 'birch'");
  CHECK(w.move("alder", 5, "running").empty());
}

TEST_CASE("only a machine's highest done step can be backed out", "[store][schema]") {
  FleetRows w;
  w.finish(1);
  w.finish(2);
  CHECK_THAT(w.move("alder", 1, "backed_out"), Contains("only the highest done step"));
  CHECK(w.move("alder", 2, "backed_out").empty());
  CHECK(w.move("alder", 1, "backed_out").empty());
}

TEST_CASE("a machine is in one open migration at a time", "[store][schema]") {
  FleetRows w;
  w.must("INSERT INTO migration VALUES ('m2', 'mesh', '{}', 'h', 'r', 2, 't', NULL)");
  CHECK_THAT(w.say("INSERT INTO migration_machine VALUES ('m2', 'alder', 'a', NULL)"), Contains("open migration already"));
  w.must("UPDATE migration SET closed_at = 't' WHERE id = 'm1'");
  w.must("INSERT INTO migration_machine VALUES ('m2', 'alder', 'a', NULL)");
  CHECK_THAT(w.say("UPDATE migration SET closed_at = NULL WHERE id = 'm1'"), Contains("another open one"));
}

TEST_CASE("a fencing token only grows, also by a replacement or a delete", "[store][schema]") {
  PlainWorld w;
  w.must("INSERT INTO lease VALUES ('mesh', 'desk', 7, 't')");
  w.must("UPDATE lease SET token = 8, runner = 'laptop'");
  CHECK_THAT(w.say("UPDATE lease SET token = 7"), Contains("only grows"));
  CHECK_THAT(w.say("INSERT OR REPLACE INTO lease VALUES ('mesh', 'desk', 7, 't')"), Contains("only grows"));
  CHECK_THAT(w.say("DELETE FROM lease"), Contains("never deleted"));
  CHECK(w.text("SELECT token FROM lease") == "8");
}

TEST_CASE("a grant of every verb cannot be one to act", "[store][schema]") {
  PlainWorld w;
  CHECK(w.say("INSERT INTO \"grant\" VALUES ('eve', '*', '*', 'read', 't')").empty());
  CHECK_THAT(w.say("INSERT INTO \"grant\" VALUES ('eve', '*', '*', 'act', 't')"), Contains("CHECK"));
}

TEST_CASE("a seat is held only by a module that is assigned there", "[store][schema]") {
  PlainWorld w;
  w.must("INSERT INTO machine(name, machine_id) VALUES ('alder', 'a')");
  w.must("INSERT INTO module VALUES ('docker', '{}', 't')");
  w.must("INSERT INTO seat VALUES ('node-container-runtime', 'node', '{}', 't')");
  const std::string hold = "INSERT INTO seat_hold VALUES ('alder', 'node-container-runtime', 'docker', NULL, 't')";
  CHECK_THAT(w.say(hold), Contains("FOREIGN KEY"));
  w.must("INSERT INTO assignment VALUES ('alder', 'docker', '{}', 't')");
  w.must(hold);
  CHECK_THAT(w.say("DELETE FROM assignment"), Contains("FOREIGN KEY"));
}
