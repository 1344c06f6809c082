#include "store/ingest.h"

#include "base/json.h"
#include "tests/store/world.h"

using namespace berth;
using namespace berth::test;
using store::Ingested;
using Catch::Matchers::Contains;

namespace {

Json report(std::int64_t seq, const std::string& at, const std::string& path = "cli") {
  return {{"machine", "alder"}, {"store", "01234567"}, {"seq", seq}, {"push_id", nullptr}, {"at", at}, {"result", "converged"},
          {"path", path}, {"resources", Json::array()}, {"host_version", "1." + std::to_string(seq) + ".0"},
          {"cli_path", "present"}, {"duration_ms", 4}};
}

Json event(std::int64_t seq, const std::string& kind, const std::string& at) {
  return {{"id", "alder:01234567:" + std::to_string(seq)}, {"machine", "alder"}, {"kind", kind}, {"at", at},
          {"container", "c1"}, {"name", "web"}, {"image", "i"}, {"mesh_held", true}, {"assignment", "web"}, {"inferred", false}};
}

Json container(const std::string& id, const std::string& state) {
  return {{"id", id}, {"name", "n-" + id}, {"image", "i"}, {"state", state}, {"assignment", nullptr}, {"pid", 7},
          {"started_at", "2026-01-01T00:00:00Z"}, {"restarts", 0}};
}

Json record(const std::string& id, const std::string& found, const std::string& updated) {
  return {{"id", id}, {"module", "docker"}, {"type", "json"}, {"origin", "declared"}, {"state", "applied"}, {"declared", Json::object()},
          {"found", {{"text", found}}}, {"applied", nullptr}, {"push_id", "p"}, {"updated_at", updated}};
}

struct Operator : StoreWorld {
  Operator() : s(open()) {
    SQLite::Database{file.native(), SQLite::OPEN_READWRITE}.exec(
        "INSERT INTO machine(name, machine_id) VALUES ('alder', 'a')");
  }
  std::string rows(const std::string& sql) {
    const auto table = s.table(sql, {});
    if (!table) return table.error().detail;
    std::string text;
    for (const auto& row : table->rows) text += (text.empty() ? "" : " | ") + store::Columns{row}.text(0);
    return text;
  }
  store::Store s;
};

}  // namespace

TEST_CASE("a report is taken once, whatever number of times it comes", "[store][ingest]") {
  Operator w;
  CHECK(store::ingest_report(w.s, report(1, "2026-01-01T00:00:01Z")).value() == Ingested::fresh);
  CHECK(store::ingest_report(w.s, report(1, "2026-01-01T00:00:01Z")).value() == Ingested::known);
  CHECK(w.rows("SELECT machine || store || seq || path FROM apply_report") == "alder012345671cli");
}

TEST_CASE("a report that comes late does not overwrite what a newer one said", "[store][ingest]") {
  Operator w;
  REQUIRE(store::ingest_report(w.s, report(2, "2026-01-01T00:00:02Z")));
  REQUIRE(store::ingest_report(w.s, report(1, "2026-01-01T00:00:01Z")));
  CHECK(w.rows("SELECT host_version FROM machine") == "1.2.0");
  CHECK(w.rows("SELECT count(*) || '' FROM apply_report") == "2");
}

TEST_CASE("a machine's clock may write its time in any zone", "[store][ingest]") {
  Operator w;
  REQUIRE(store::ingest_report(w.s, report(1, "2026-01-01T02:00:01.5+02:00")));
  CHECK(w.rows("SELECT at FROM apply_report") == "2026-01-01T00:00:01.500000000Z");
}

TEST_CASE("events move the container as last observed, an older one does not move it back", "[store][ingest]") {
  Operator w;
  const auto take = [&](const Json& e) { REQUIRE(store::ingest_event(w.s, e).value() == Ingested::fresh); };
  const auto state = [&] { return w.rows("SELECT state || coalesce(' gone ' || gone_at, '') FROM container"); };
  take(event(1, "created", "2026-01-01T00:00:01Z"));
  CHECK(state() == "created");
  take(event(3, "died", "2026-01-01T00:00:03Z"));
  CHECK(state() == "exited");
  take(event(2, "started", "2026-01-01T00:00:02Z"));
  CHECK(state() == "exited");
  take(event(4, "health", "2026-01-01T00:00:04Z"));
  CHECK(state() == "exited");
  take(event(5, "removed", "2026-01-01T00:00:05Z"));
  CHECK(state() == "exited gone 2026-01-01T00:00:05.000000000Z");
  CHECK(store::ingest_event(w.s, event(5, "removed", "2026-01-01T00:00:05Z")).value() == Ingested::known);
  CHECK(w.rows("SELECT count(*) || '' FROM runtime_event") == "5");
}

TEST_CASE("a gap has no container and is kept", "[store][ingest]") {
  Operator w;
  const Json gap = {{"id", "alder:01234567:9"}, {"machine", "alder"}, {"kind", "gap"}, {"at", "2026-01-01T00:00:01Z"},
                    {"from", "a"}, {"to", "b"}, {"cause", "engine restart"}, {"suppressed", 0}};
  CHECK(store::ingest_event(w.s, gap).value() == Ingested::fresh);
  CHECK(w.rows("SELECT json_extract(body, '$.cause') FROM runtime_event") == "engine restart");
}

TEST_CASE("a message is taken by its subject, and only for the machine that subject belongs to", "[store][ingest]") {
  Operator w;
  const auto take = [&](const char* subject, const std::string& data) { return store::ingest_message(w.s, subject, data); };
  CHECK(take("mesh.alder.host.report", report(1, "2026-01-01T00:00:01Z").dump()));
  CHECK(take("mesh.alder.node-container-runtime.event.died", event(1, "died", "2026-01-01T00:00:01Z").dump()));
  const auto other = take("mesh.birch.host.report", report(2, "2026-01-01T00:00:01Z").dump());
  REQUIRE_FALSE(other);
  CHECK(other.error().code == Errc::not_granted);
  CHECK_THAT(other.error().detail, Contains("mesh.birch.host.report") && Contains("alder"));
  CHECK_FALSE(take("mesh.alder.host.push", "{}"));
  CHECK_FALSE(take("", "{}"));
  CHECK_FALSE(take("mesh.alder.host.report", "{"));
  CHECK_FALSE(take("mesh.alder.host.report", "[]"));
}

TEST_CASE("a malformed document is refused naming the member, and leaves nothing", "[store][ingest]") {
  Operator w;
  const auto refused = [&](Json document, const std::string& key, const Json& value) {
    document[key] = value;
    const bool is_event = document.contains("kind");
    const auto taken = is_event ? store::ingest_event(w.s, document) : store::ingest_report(w.s, document);
    return taken ? "taken" : taken.error().field;
  };
  const auto r = report(1, "2026-01-01T00:00:01Z");
  const auto e = event(1, "died", "2026-01-01T00:00:01Z");
  CHECK(refused(r, "path", "carrier pigeon") == "report.path");
  CHECK(refused(r, "seq", -1) == "report.seq");
  CHECK(refused(r, "seq", "1") == "report.seq");
  CHECK(refused(r, "at", "yesterday") == "report.at");
  CHECK(refused(r, "host_version", nullptr) == "report.host_version");
  CHECK(refused(e, "kind", "exploded") == "event.kind");
  CHECK(refused(e, "id", "birch:01234567:1") == "event.id");
  CHECK(refused(e, "id", "alder:01234567") == "event.id");
  CHECK(refused(e, "id", "alder:01234567:99999999999999999999") == "event.id");
  CHECK(w.rows("SELECT count(*) || '' FROM apply_report") == "0");
  CHECK(w.rows("SELECT count(*) || '' FROM runtime_event") == "0");
}

TEST_CASE("a member that a newer program writes is kept, not refused", "[store][ingest]") {
  Operator w;
  auto r = report(1, "2026-01-01T00:00:01Z");
  r["of_next_year"] = {1, 2};
  CHECK(store::ingest_report(w.s, r));
  CHECK(w.rows("SELECT json_extract(body, '$.of_next_year[1]') || '' FROM apply_report") == "2");
}

TEST_CASE("a whole listing of containers marks those that are not in it as gone", "[store][ingest]") {
  Operator w;
  REQUIRE(store::observe_containers(w.s, "alder", "2026-01-01T00:00:01.000000000Z", {container("c1", "running"), container("c2", "exited")}));
  REQUIRE(store::observe_containers(w.s, "alder", "2026-01-01T00:00:02.000000000Z", Json::array({container("c2", "running")})));
  CHECK(w.rows("SELECT id || state || (gone_at IS NOT NULL) FROM container ORDER BY id") == "c1running1 | c2running0");
  const auto refused = store::observe_containers(w.s, "alder", "2026-01-01T00:00:03.000000000Z", {container("c2", "running"), container("c3", "flying")});
  REQUIRE_FALSE(refused);
  CHECK(w.rows("SELECT id || (gone_at IS NOT NULL) FROM container ORDER BY id") == "c11 | c20");
}

TEST_CASE("a container that never started has no time of it", "[store][ingest]") {
  Operator w;
  auto created = container("c1", "created");
  created["started_at"] = "";
  created["pid"] = 0;
  REQUIRE(store::observe_containers(w.s, "alder", "2026-01-01T00:00:01.000000000Z", Json::array({created})));
  CHECK(w.rows("SELECT (started_at IS NULL) || '' || (pid IS NULL) FROM container") == "11");
}

TEST_CASE("records are mirrored whole: changed, dropped, and made anew with another found state", "[store][ingest]") {
  Operator w;
  const auto mirror = [&](const Json& list) { REQUIRE(store::reflect_records(w.s, "alder", list)); };
  const auto founds = [&] { return w.rows("SELECT id || '=' || json_extract(found, '$.text') FROM resource_record ORDER BY id"); };
  mirror({record("docker.a", "1", "t1"), record("docker.b", "1", "t1")});
  CHECK(founds() == "docker.a=1 | docker.b=1");
  mirror({record("docker.a", "1", "t1"), record("docker.b", "1", "t1")});
  CHECK(w.rows("SELECT count(*) || '' FROM resource_history") == "2");  // the same again is no change
  mirror(Json::array({record("docker.b", "2", "t2")}));
  CHECK(founds() == "docker.b=2");
  CHECK(w.rows("SELECT group_concat(id || change, ' ') FROM resource_history") ==
        "docker.ainsert docker.binsert docker.bdelete docker.binsert docker.adelete");
}

TEST_CASE("a snapshot is kept verbatim with its containers and records, or not at all", "[store][ingest]") {
  Operator w;
  Json snapshot = {{"machine", "alder"}, {"taken_at", "2026-01-01T00:00:01Z"}, {"file", {{"text", "{ }\n"}, {"sha256", "abc"}}},
                   {"containers", {container("c1", "running"), container("c2", "running")}}, {"records", Json::array({record("docker.a", "1", "t1")})}};
  CHECK(store::ingest_snapshot(w.s, snapshot).value() == 1);
  CHECK(w.rows("SELECT json_extract(body, '$.file.text') FROM config_snapshot") == "{ }\n");
  CHECK(w.rows("SELECT group_concat(id) FROM container") == "c1,c2");
  snapshot["records"][0]["origin"] = "stolen";
  snapshot["containers"].erase(0);
  CHECK_FALSE(store::ingest_snapshot(w.s, snapshot));
  CHECK(w.rows("SELECT count(*) || '' FROM config_snapshot") == "1");
  CHECK(w.rows("SELECT group_concat(id) FROM container WHERE gone_at IS NULL") == "c1,c2");
  snapshot["machine"] = "nowhere";
  CHECK_FALSE(store::ingest_snapshot(w.s, snapshot));
}

TEST_CASE("a part whose others are lost is refused as that, and is no report", "[store][ingest]") {
  Operator w;
  const auto taken = store::ingest_message(w.s, "mesh.alder.host.report",
                                           R"({"at":9,"bytes":10,"part":2,"parts":2,"sha256":"x","text":"y","whole":"alder:01234567:3"})");
  CHECK(taken.error().detail == "part 2 of report \"alder:01234567:3\" cannot be taken: other parts of it are lost");
  CHECK(w.rows("SELECT seq FROM apply_report").empty());
}
