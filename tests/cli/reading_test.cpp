#include "tests/cli/world.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

struct KnownFleet : Desk {
  KnownFleet() {
    sql(R"(
      INSERT INTO machine(name, machine_id, host_version, cli_path, set_aside) VALUES
        ('alder', 'a', '1.1.0', 'present', NULL), ('birch', 'b', NULL, NULL, 'in repair');
      INSERT INTO apply_report VALUES
        ('alder', 's', 1, 't1', NULL, 'converged', 'cli', '1.0.0', 'present', '{}'),
        ('alder', 's', 2, 't2', NULL, 'unchanged', 'holder', '1.1.0', 'present', '{}');
      INSERT INTO module VALUES ('docker', '{}', 't'), ('web', '{}', 't');
      INSERT INTO assignment VALUES ('alder', 'web', '{}', 't'), ('alder', 'docker', '{}', 't'), ('birch', 'docker', '{}', 't');
      INSERT INTO seat VALUES ('node-container-runtime', 'node', '{}', 't');
      INSERT INTO seat_hold VALUES ('alder', 'node-container-runtime', 'docker', '/run/docker.sock', 't');
      INSERT INTO container VALUES ('alder', 'c1', 'web', 'i', 'running', 1, 'web', 1, 't', 0, 't', NULL);
    )");
  }
};

}  // namespace

TEST_CASE("machines shows the newest path and report of each, and what is set aside", "[cli]") {
  KnownFleet w;
  const auto rows = w.json({"machines"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["path"] == "holder");
  CHECK(rows[0]["result"] == "unchanged");
  CHECK(rows[0]["modules"] == "docker web");
  CHECK(rows[1]["path"].is_null());
  CHECK(rows[1]["set_aside"] == "in repair");
}

TEST_CASE("seats shows every machine, held or unheld", "[cli]") {
  KnownFleet w;
  const auto rows = w.json({"seats"});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]["state"] == "held");
  CHECK(rows[0]["module"] == "docker");
  CHECK(rows[1]["state"] == "unheld");
}

TEST_CASE("audit lists its questions, answers one by either spelling, and narrows it to a machine", "[cli]") {
  KnownFleet w;
  CHECK(w.json({"audit"}).size() >= 11);
  CHECK(w.json({"audit", "held_containers"}) == w.json({"audit", "held-containers"}));
  CHECK(w.json({"audit", "held-containers", "--machine", "alder"}).size() == 1);
  CHECK(w.json({"audit", "held-containers", "--machine", "birch"}).empty());
  const auto wrong = w.berth({"audit", "held"});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Contains("held-containers"));
  CHECK(std::count(wrong.err.begin(), wrong.err.end(), '\n') == 1);
}

TEST_CASE("a machine that the store does not have is told from one with nothing on it", "[cli]") {
  KnownFleet w;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"audit", "held-containers", "--machine", "aldre"}, {"events", "--machine", "aldre"}}) {
    const auto said = w.berth(words);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("not_found") && Contains("aldre") && Contains("alder"));
    CHECK(said.out.empty());
  }
  CHECK(w.berth({"events", "--machine", "alder"}).status == 0);
}

TEST_CASE("sql and audit sql read, and refuse to write", "[cli]") {
  KnownFleet w;
  CHECK(w.json({"sql", "SELECT name FROM machine ORDER BY name"})[1]["name"] == "birch");
  CHECK(w.json({"audit", "sql", "SELECT count(*) AS n FROM container"})[0]["n"] == 1);
  CHECK(w.berth({"sql", "DELETE FROM container"}).status == 2);
  CHECK(w.json({"audit", "sql", "SELECT count(*) AS n FROM container"})[0]["n"] == 1);
  CHECK(w.berth({"audit", "sql"}).status == 2);
}

TEST_CASE("the options of every command may stand before or behind its name", "[cli]") {
  KnownFleet w;
  CHECK(w.berth({"--output", "csv", "machines"}).out == w.berth({"machines", "--output", "csv"}).out);
  CHECK_THAT(w.berth({"machines", "--output", "csv"}).out, Contains("machine,host_version") && Contains("\r\n"));
}

TEST_CASE("a missing store is said with the way to get one, and none is made by reading", "[cli]") {
  Desk w;
  for (const char* command : {"machines", "seats", "audit"}) {
    auto words = std::vector<std::string>{command};
    if (words[0] == "audit") words.emplace_back("strays");
    const auto said = w.berth(words);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains(w.file.native()) && Contains("catalogue import"));
    CHECK(said.out.empty());
  }
  CHECK_FALSE(std::filesystem::exists(w.file));
}

TEST_CASE("words that make no sense end with status 2 and one line that says why", "[cli]") {
  Desk w;
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {}, {"machine"}, {"machines", "--color"}, {"machines", "--output", "xml"}, {"sql"}, {"store"},
           {"events", "--since", ""}, {"containers", "--state", "zz"}}) {
    const auto said = w.berth(words);
    CHECK(said.status == 2);
    CHECK(said.err.starts_with("berth: bad_request: "));
    CHECK(std::count(said.err.begin(), said.err.end(), '\n') == 1);
    CHECK(said.out.empty());
  }
  CHECK_THAT(w.berth({"frob", "--machine", "alder"}).err, Contains("no command \"frob\""));
  CHECK_THAT(w.berth({"migrate", "rnu"}).err, Contains("\"rnu\""));
  CHECK(w.berth({"--help"}).status == 0);
  CHECK_THAT(w.berth({"--version"}).out, Contains("berth 0."));
}

TEST_CASE("with --output json an error is a problem document, and stdout stays empty", "[cli]") {
  Desk w;
  const auto said = w.berth({"machines", "--output", "json"});
  CHECK(said.out.empty());
  CHECK(Json::parse(said.err)["code"] == "not_found");
  CHECK(Json::parse(w.berth({"--output=json", "nonsense"}).err)["code"] == "bad_request");
}

TEST_CASE("a machine's store is not read as the operator's, and an empty name of one is no default", "[cli]") {
  Desk w;
  w.file = w.folder / "host.db";
  if (auto made = store::Store::open(w.file, store::Role::host, w.clock, w.seam); !made) FAIL(made.error().detail);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"machines"}, {"audit", "strays"}, {"sql", "SELECT 1"}, {"store", "verify"}}) {
    const auto said = w.berth(words);
    CHECK(said.status == 1);
    CHECK_THAT(said.err, Contains("host.db: this is a store of role host, not of role fleet"));
  }
  for (const std::string option : {"--store", "--fleet"}) {
    const auto said = w.berth({option, "", "machines"});
    CHECK(said.status == 2);
    CHECK_THAT(said.err, Contains(option) && Contains("names no file"));
  }
}

TEST_CASE("a store is backed up while in use and verified", "[cli]") {
  KnownFleet w;
  CHECK(w.berth({"store", "backup", (w.folder / "copy.db").native()}).status == 0);
  CHECK(w.berth({"store", "backup", (w.folder / "copy.db").native()}).status == 1);
  const auto live = w.json({"machines"});
  w.file = w.folder / "copy.db";
  CHECK(w.json({"machines"}) == live);
  CHECK(w.berth({"store", "verify"}).status == 0);
  CHECK_THAT(w.json({"store", "verify"})["done"].get<std::string>(), Contains("copy.db is whole"));
}
