#include "store/audit.h"

#include <fstream>
#include <sstream>

#include "schema/audit.h"
#include "schema/queries.h"
#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const store::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::holds_alternative<double>(value) ? "real" : "-";
}

/// "alder web docker | birch …": the first columns of every row.
std::string rendered(const store::Store::Table& table, std::size_t columns) {
  std::string text;
  for (const auto& row : table.rows) {
    if (!text.empty()) text += " | ";
    for (std::size_t i = 0; i < columns; ++i) text += (i == 0 ? "" : " ") + text_of(row[i]);
  }
  return text;
}

/// Whether `word` stands there whole, not as the head of a longer name.
bool mentions(const std::string& text, const std::string& word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const char next = at + word.size() < text.size() ? text[at + word.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) == 0 && next != '_') return true;
  }
  return false;
}

struct Observed : StoreWorld {
  Observed() {
    open();
    SQLite::Database db{file.native(), SQLite::OPEN_READWRITE};
    db.exec(R"(
      INSERT INTO machine(name, machine_id, set_aside) VALUES ('alder', 'a', NULL), ('birch', 'b', 'in repair');
      INSERT INTO container VALUES
        ('alder', 'c1', 'web', 'i', 'running', 1, 'web', 11, 't', 0, 't', NULL),
        ('alder', 'c2', 'old', 'i', 'exited', 1, 'web', NULL, 't', 0, 't', '2026-01-01'),
        ('alder', 'c3', 'compose-db', 'i', 'running', 0, NULL, 12, 't', 0, 't', NULL),
        ('birch', 'c4', 'orphan', 'i', 'running', 1, 'dns', 13, 't', 0, 't', NULL);
      INSERT INTO resource_record VALUES
        ('alder', 'web.app', 'web', 'container', 'declared', 'applied', '{"spec":{"name":"web"}}', '{}', '{"id":"c1"}', NULL, 't'),
        ('birch', 'web.app', 'web', 'container', 'declared', 'applied', '{"spec":{"name":"web"}}', '{}', '{"id":"c9"}', NULL, 't'),
        ('birch', 'bundle', NULL, 'container', 'carried', 'intended', '{}', '{}', NULL, NULL, 't');
      INSERT INTO apply_report VALUES
        ('alder', 's', 1, '2026-01-01T00:00:01Z', NULL, 'converged', 'cli', '1.0.0', 'present', '{}'),
        ('alder', 's', 2, '2026-01-01T00:00:02Z', NULL, 'unchanged', 'holder', '1.1.0', 'present', '{}'),
        ('alder', 's', 3, '2026-01-01T00:00:03Z', NULL, 'unchanged', 'holder', '1.1.0', 'present', '{}');
      INSERT INTO config_key VALUES
        ('alder', 'live-restore', 'true', 'dnsmasq.daemon', 'true', NULL, 0),
        ('alder', 'log-driver', '"journald"', 'hand', NULL, 'keep', 0),
        ('alder', 'dns', '["10.0.0.2"]', 'docker.daemon', '["10.0.0.3"]', NULL, 1);
      INSERT INTO verb_call VALUES
        (1, 'alder', 't1', 'bus', 'operator', 'stop', 'web', 'ok', NULL, 5),
        (2, 'alder', 't2', 'bus', 'eve', 'stop', 'web', 'not_granted', 'stop is not granted to eve', 0);
      INSERT INTO runtime_event VALUES ('alder:s:1', 'alder', 1, 'died', '2026-01-01T00:00:04Z', 'c1', '{"name":"web"}');
      INSERT INTO migration VALUES ('m1', 'mesh', '{}', 'h', 'r', 1, 't', NULL);
      INSERT INTO migration_machine VALUES ('m1', 'alder', 'a', NULL);
      INSERT INTO step_run(migration, step, machine, state) VALUES ('m1', 1, 'alder', 'pending');
      UPDATE step_run SET state = 'running', attempt = 1, intended_at = '2026-01-01T00:00:05Z';
      UPDATE step_run SET state = 'done', proof = '{"restarts":0}', ended_at = '2026-01-01T00:00:06Z';
    )");
  }
  std::string ask(std::string_view name, std::size_t columns, std::string_view machine = {}) {
    auto s = store::Store::open_read_only(file);
    REQUIRE(s);
    const auto audit = store::find_audit(name);
    REQUIRE(audit);
    const auto table = store::run_audit(*s, *audit, machine);
    if (!table) FAIL(table.error().detail);
    return rendered(*table, columns);
  }
};

}  // namespace

TEST_CASE("every embedded query and audit can be prepared on a fresh schema", "[store][schema]") {
  StoreWorld w;
  w.open();
  SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
  for (const auto& file : schema::queries::all_queries()) {
    CAPTURE(file.name);
    CHECK_NOTHROW(SQLite::Statement(db, std::string{file.text}));
  }
  for (const auto& file : schema::audit::all_audit()) {
    CAPTURE(file.name);
    CHECK_NOTHROW(SQLite::Statement(db, std::string{file.text}));
  }
}

TEST_CASE("every query is used by some source", "[store][schema]") {
  std::string sources;
  const std::filesystem::path root = BERTH_SOURCE_DIR;
  for (const char* room : {"store", "holder", "host", "catalogue", "migrate", "cli"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator{root / room}) {
      if (entry.path().extension() == ".cpp") sources += read_file(entry.path()).value_or("");
    }
  }
  for (const auto& file : schema::queries::all_queries()) {
    CAPTURE(file.name);
    CHECK(mentions(sources, "::" + std::string{file.name}));
  }
}

TEST_CASE("every audit has a title, a question and the parameters its statement takes, in order", "[store][audit]") {
  StoreWorld w;
  w.open();
  SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
  CHECK(store::audits().size() >= 11);
  for (const auto& audit : store::audits()) {
    CAPTURE(audit.name);
    CHECK_FALSE(audit.title.empty());
    CHECK(audit.asks.ends_with("?"));
    SQLite::Statement statement{db, audit.sql};
    CHECK(statement.getBindParameterCount() == static_cast<int>(audit.parameters.size()));
    for (std::size_t i = 0; i < audit.parameters.size(); ++i) {
      CHECK(statement.getIndex((":" + audit.parameters[i]).c_str()) == static_cast<int>(i + 1));
    }
  }
}

TEST_CASE("an audit is found with dashes or underscores, and a wrong name lists them", "[store][audit]") {
  CHECK(store::find_audit("held-containers")->title == store::find_audit("held_containers")->title);
  const auto wrong = store::find_audit("hold");
  REQUIRE_FALSE(wrong);
  CHECK_THAT(wrong.error().detail, Contains("\"hold\"") && Contains("held-containers") && Contains("timeline"));
}

TEST_CASE("the audits answer their questions", "[store][audit]") {
  Observed w;
  CHECK(w.ask("held-containers", 3) == "alder web web | birch orphan dns");
  CHECK(w.ask("held-containers", 3, "birch") == "birch orphan dns");
  CHECK(w.ask("strays", 2) == "alder compose-db");
  CHECK(w.ask("path-by-machine", 7) ==
        "alder holder unchanged 1.1.0 present 2026-01-01T00:00:03Z 2026-01-01T00:00:02Z | birch - - - - - -");
  CHECK(w.ask("engine-keys", 4) ==
        "alder dns [\"10.0.0.2\"] docker.daemon | alder live-restore true dnsmasq.daemon | alder log-driver \"journald\" hand");
  CHECK(w.ask("found-against-default", 6) ==
        "alder dns [\"10.0.0.2\"] [\"10.0.0.3\"] docker.daemon undecided | alder log-driver \"journald\" - hand keep");
  CHECK(w.ask("keys-not-taken", 2) == "alder dns");
  CHECK(w.ask("records-without-container", 6) == "birch bundle carried intended - - | birch web.app declared applied c9 web");
  CHECK(w.ask("containers-without-record", 3) == "birch orphan c4");
  CHECK(w.ask("calls", 7) == "t1 alder bus operator stop web ok | t2 alder bus eve stop web not_granted");
  CHECK(w.ask("migration-proofs", 5) == "m1 1 alder done 1");
  CHECK(w.ask("timeline", 3, "birch") == "t birch record | t birch record");
  CHECK_THAT(w.ask("timeline", 5, "alder"),
             Contains("alder event web died | 2026-01-01T00:00:05Z alder step m1 step 1 began, attempt 1 | "
                      "2026-01-01T00:00:06Z alder step m1 step 1 done"));
}

TEST_CASE("how a host reaches the runtime, and since when, is asked of few of its reports, however many there are", "[store][audit]") {
  Observed w;
  SQLite::Database db{w.file.native(), SQLite::OPEN_READWRITE};
  SQLite::Statement plan{db, "EXPLAIN QUERY PLAN " + std::string{store::find_audit("path-by-machine")->sql}};
  std::string steps;
  while (plan.executeStep()) steps += plan.getColumn(3).getString() + "\n";
  INFO(steps);
  for (const char* whole : {"SCAN r", "SCAN apply_report", "SCAN same"}) CHECK(steps.find(whole) == std::string::npos);
  const auto report = [&](int seq, const std::string& path) {
    const auto at = "2026-01-01T00:00:0" + std::to_string(seq) + "Z";
    db.exec("INSERT INTO apply_report VALUES ('alder', 's', " + std::to_string(seq) + ", '" + at + "', NULL, 'unchanged', '" + path + "', '1', 'present', '{}')");
    return w.ask("path-by-machine", 7, "alder");
  };
  CHECK(report(4, "none") == "alder none unchanged 1 present 2026-01-01T00:00:04Z 2026-01-01T00:00:04Z");
  CHECK(report(5, "none") == "alder none unchanged 1 present 2026-01-01T00:00:05Z 2026-01-01T00:00:04Z");
  CHECK(report(6, "holder") == "alder holder unchanged 1 present 2026-01-01T00:00:06Z 2026-01-01T00:00:06Z");
  CHECK(report(7, "holder") == "alder holder unchanged 1 present 2026-01-01T00:00:07Z 2026-01-01T00:00:06Z");
  CHECK(report(8, "cli") == "alder cli unchanged 1 present 2026-01-01T00:00:08Z 2026-01-01T00:00:08Z");
}

TEST_CASE("a select of a person's own reads and can do nothing else", "[store][audit]") {
  Observed w;
  const auto before = w.bytes();
  const auto table = store::run_select(w.file, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
                                               "SELECT i, upper('x') AS x FROM n;  -- done");
  REQUIRE(table);
  CHECK(table->columns == std::vector<std::string>{"i", "x"});
  CHECK(rendered(*table, 2) == "1 X | 2 X | 3 X");
  for (const std::string sql :
       {"DELETE FROM container", "UPDATE machine SET set_aside = 'x'", "INSERT INTO retention VALUES ('verb_call', 'z')",
        "DROP TABLE machine", "CREATE TEMP TABLE t(x)", "ATTACH '/tmp/berth-never-made.db' AS other",
        "PRAGMA journal_mode = DELETE", "PRAGMA user_version", "VACUUM INTO '/tmp/berth-never-made.db'", "BEGIN", "REINDEX",
        "SELECT * FROM pragma_database_list", "SELECT load_extension('x')", "SELECT 1; DELETE FROM container",
        "SELECT 1; SELECT 2", "SELECT", "", "SELECT no_such FROM machine", "SELECT * FROM container WHERE name = ?"}) {
    CAPTURE(sql);
    const auto refused = store::run_select(w.file, sql);
    if (sql.ends_with("?")) {
      CHECK(refused);  // an open parameter is null: no rows, no harm
      continue;
    }
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Errc::bad_request);
    CHECK(refused.error().field == "sql");
  }
  CHECK(w.bytes() == before);
  CHECK_FALSE(std::filesystem::exists("/tmp/berth-never-made.db"));
}
