// Reports taken into the operator's store, and audits of it, beside bare SQLite with the same settings.
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/owned.h"
#include "store/audit.h"
#include "store/ingest.h"
#include "tests/bench/samples.h"

namespace berth::bench {
namespace {

constexpr int kMachines = 100;
constexpr int kBatch = 500;  // reports a transaction

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}
template <class T>
T must(Result<T> result) {
  if (!result) stop(to_text(result.error()));
  return std::move(result).value();
}
void must(const Status& status) {
  if (!status) stop(to_text(status.error()));
}

std::string machine_name(int i) { return "machine-" + std::to_string(i % kMachines); }

/// What a host says of an ordinary apply: ten resources.
Json report_of(int seq) {
  Json resources = Json::array();
  for (int i = 0; i < 10; ++i) resources.push_back({{"id", "module.r" + std::to_string(i)}, {"action", "unchanged"}, {"detail", ""}});
  const auto at = to_rfc3339(parse_rfc3339("2026-01-01T00:00:00Z").value() + std::chrono::seconds{seq});
  return {{"machine", machine_name(seq)}, {"store", "01234567"}, {"seq", seq}, {"push_id", nullptr}, {"at", at}, {"result", "unchanged"},
          {"path", "holder"}, {"resources", resources}, {"host_version", "1.0.0"}, {"cli_path", "absent"}, {"duration_ms", 4}};
}

using Db = CPtr<sqlite3, sqlite3_close>;
using Statement = CPtr<sqlite3_stmt, sqlite3_finalize>;

/// The same file format and promises, and nothing around them.
class Bare {
 public:
  explicit Bare(const std::filesystem::path& path) {
    sqlite3* raw = nullptr;
    if (sqlite3_open(path.c_str(), &raw) != SQLITE_OK) stop("open " + path.native());
    db_.reset(raw);
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  }
  void run(const std::string& sql) {
    if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) stop(sql + ": " + sqlite3_errmsg(db_.get()));
  }
  Statement prepared(const std::string& sql) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(db_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) stop(sql + ": " + sqlite3_errmsg(db_.get()));
    return Statement{raw};
  }
  void insert_all(sqlite3_stmt* insert, int first, const std::vector<std::string>& bodies) {
    run("BEGIN IMMEDIATE");
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const auto machine = machine_name(first + static_cast<int>(i));
      const char* texts[] = {machine.c_str(), "01234567", nullptr, "2026-01-01T00:00:00.000000000Z", nullptr, "unchanged", "holder", "1.0.0", "absent", bodies[i].c_str()};
      for (int at = 0; at < 10; ++at) {
        if (at == 2) sqlite3_bind_int64(insert, 3, first + static_cast<int>(i));
        else if (texts[at] != nullptr) sqlite3_bind_text(insert, at + 1, texts[at], -1, SQLITE_STATIC);
      }
      if (sqlite3_step(insert) != SQLITE_DONE) stop(sqlite3_errmsg(db_.get()));
      sqlite3_reset(insert);
    }
    run("COMMIT");
  }
  /// Every row and column of the question, read.
  std::size_t read_all(const std::string& sql, const std::string& machine) {
    const auto asked = prepared(sql);
    if (!machine.empty() && sqlite3_bind_parameter_count(asked.get()) > 0) sqlite3_bind_text(asked.get(), 1, machine.c_str(), -1, SQLITE_STATIC);
    std::size_t bytes = 0;
    while (sqlite3_step(asked.get()) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(asked.get()); ++i) bytes += static_cast<std::size_t>(sqlite3_column_bytes(asked.get(), i));
    }
    return bytes;
  }

 private:
  Db db_;
};

void add_machines(Bare& bare) {
  for (int i = 0; i < kMachines; ++i) bare.run("INSERT INTO machine(name, machine_id) VALUES ('" + machine_name(i) + "', '" + std::to_string(i) + "')");
}

void bench_ingest(store::Store& ours, Bare& bare, int rounds) {
  const auto insert = bare.prepared("INSERT OR IGNORE INTO apply_report VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  Row row{.what = "ingest of 500 reports", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1/0.7 of bare, >= 15 k rows/s, p99 <= 40 ms a commit",
          .met = [](const Row& r) { return r.over_floor() <= 1 / 0.7 && r.ours.p50_ms() <= kBatch / 15.0; }};
  int next = 1;
  std::vector<std::string> bodies;
  const auto fresh = [&] {
    bodies.clear();
    for (int i = 0; i < kBatch; ++i) bodies.push_back(report_of(next + i).dump());
  };
  for (int round = 0; round < rounds; ++round) {
    fresh();
    row.floor.add(time_of([&] { bare.insert_all(insert.get(), next, bodies); }));
    row.ours.add(time_of([&] {
      must(ours.transaction([&]() -> Status {
        for (int i = 0; i < kBatch; ++i) TRY(store::ingest_message(ours, "mesh." + machine_name(next + i) + ".host.report", bodies[static_cast<std::size_t>(i)]));
        return {};
      }));
    }));
    next += kBatch;
  }
  print_row(row);
}

void bench_audit(store::Store& ours, Bare& bare, const std::string& name, const std::string& machine, int rounds, const std::string& goal) {
  const auto audit = must(store::find_audit(name));
  Row row{.what = name + (machine.empty() ? ", the fleet" : ", a machine"), .floor = {}, .peer = {}, .ours = {}, .goal = goal,
          .met = [](const Row& r) { return r.over_floor() <= 2; }};
  interleave(rounds, {{&row.floor, [&] { bare.read_all(audit.sql, machine); }},
                      {&row.ours, [&] { must(store::run_audit(ours, audit, machine)); }}});
  print_row(row);
}

/// The same audit before and after the history has grown by so many reports.
void bench_growth(store::Store& ours, Bare& same, int rounds, int reports) {
  const auto audit = must(store::find_audit("path-by-machine"));
  Row row{.what = "path-by-machine, the fleet, " + std::to_string(reports) + " reports later", .floor = {}, .peer = {}, .ours = {}, .goal = "<= 1.1x of before",
          .met = [](const Row& r) { return r.over_floor() <= 1.1; }};
  const auto ask = [&] { must(store::run_audit(ours, audit, "")); };
  for (int i = 0; i < rounds; ++i) row.floor.add(time_of(ask));
  const auto insert = same.prepared("INSERT INTO apply_report VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  const std::vector<std::string> bodies(kBatch, report_of(1).dump());
  for (int first = 10'000'000; first < 10'000'000 + reports; first += kBatch) same.insert_all(insert.get(), first, bodies);
  for (int i = 0; i < rounds; ++i) row.ours.add(time_of(ask));
  print_row(row);
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 100;
  const char* folder = std::getenv("BENCH_FOLDER");
  if (folder == nullptr || rounds <= 0) bench::stop("BENCH_FOLDER=DIR berth-bench-store ROUNDS");
  const std::filesystem::path here{folder};
  const auto open = [&](const char* name) {
    return bench::must(store::Store::open(here / name, store::Role::fleet, system_clock(), no_faults()));
  };
  auto ours = open("ours.db");
  { const auto made = open("bare.db"); }
  bench::Bare same{here / "ours.db"}, bare{here / "bare.db"};
  bench::add_machines(same);
  bench::add_machines(bare);
  double load = 0;
  static_cast<void>(::getloadavg(&load, 1));
  std::printf("load %.1f\n", load);
  bench::print_head("the operator's store, floor: bare SQLite, same file format and settings");
  bench::bench_ingest(ours, bare, rounds);
  // Audits: both read berth's own file.
  bench::bench_audit(ours, same, "path-by-machine", "machine-7", rounds, "<= 2x");
  bench::bench_audit(ours, same, "path-by-machine", "", rounds, "<= 2x");
  bench::bench_audit(ours, same, "timeline", "machine-7", rounds, "<= 2x");
  bench::bench_audit(ours, same, "held-containers", "", rounds, "<= 2x");
  bench::bench_growth(ours, same, rounds, 200'000);
  return 0;
}
