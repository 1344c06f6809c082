#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "catch.h"
#include "migrate/report/sections.h"
#include "tests/migrate/fake_fleet.h"
#include "tests/support/parts.h"

using berth::Json;
using berth::test::Fleet;
using Kind = berth::migrate::Outcome::Kind;

namespace {

Json report_of(Fleet& fleet) {
  auto store = fleet.open_store();
  const auto report = berth::migrate::report(fleet.document(), store, "1.2.0");
  INFO((report ? "" : report.error().detail));
  REQUIRE(report.ok());
  return *report;
}

Json machine_of(const Json& report, const std::string& name) {
  for (const auto& machine : report["machines"]) {
    if (machine["name"] == name) return machine;
  }
  return {};
}

std::string states(const Json& attempts) {
  std::string text;
  for (const auto& attempt : attempts)
    text += (text.empty() ? "" : " ") + attempt["attempt"].dump() + ":" + attempt["state"].get<std::string>();
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A migration with everything that a report must tell: a failure, a back-out, a machine set aside.
void eventful(Fleet& fleet) {
  fleet.at("birch").push_fails = true;
  REQUIRE(fleet.run(2)->kind == Kind::failed);
  fleet.clock.advance(std::chrono::hours{9});
  REQUIRE(fleet.run(2)->kind == Kind::done);
  REQUIRE(fleet.back_out(2, "birch")->kind == Kind::done);
  fleet.clock.advance(std::chrono::minutes{2});
  REQUIRE(fleet.run(4)->kind == Kind::done);
  auto store = fleet.open_store();
  REQUIRE(berth::migrate::set_aside(fleet.document(), "cedar", "</script><b>its disk \"grew\"</b>", store).ok());
}

}  // namespace

TEST_CASE("a report before any run says that there is nothing, and is no empty page", "[migrate][report]") {
  Fleet fleet;
  auto store = fleet.open_store();
  CHECK(berth::migrate::report(fleet.document(), store, "1.2.0").error().code == berth::Errc::not_found);
}

TEST_CASE("a report tells who ran it, every machine's proofs, its file's difference and its restarts",
          "[migrate][report]") {
  Fleet fleet;
  REQUIRE(fleet.run()->kind == Kind::done);
  const auto report = report_of(fleet);
  CHECK(report["runs"].size() == 1);
  CHECK(report["runs"][0]["runner"] == "operator@desk");
  CHECK(report["runs"][0]["berth"] == "1.2.0");
  CHECK(report["closed_at"].is_string());
  CHECK(report["totals"]["restarts"] == 0);
  CHECK(report["totals"]["states"] == Json{{"done", 4}});
  for (const auto& machine : report["machines"]) {
    CAPTURE(machine["name"]);
    CHECK(machine["restarts"] == 0);
    CHECK(machine["versions"]["engine_version"] == "20.10.24");
    CHECK(machine["versions"]["host"] == "1.2.0");
    CHECK(machine["versions"]["holder"] == "1.1.0");
    for (const auto& step : machine["steps"]) {
      CHECK(step["state"] == "done");
      CHECK(states(step["attempts"]) == "1:done");
      CHECK_FALSE(step["says"].get<std::string>().empty());
      CHECK(step["proof"].is_object());
    }
    CHECK_FALSE(machine["pushes"].empty());
  }
  CHECK(has(machine_of(report, "cedar")["file"]["diff"], "+  \"live-restore\": true"));
}

TEST_CASE("a restart that a proof saw is counted, also when the step failed over it", "[migrate][report]") {
  Json proof = {{"containers", {{"same", 1}, {"restarted", {"web"}}, {"ended", Json::array()}, {"new", Json::array()}}}};
  Fleet fleet;
  REQUIRE(fleet.run(2)->kind == Kind::done);
  auto report = report_of(fleet);
  CHECK(report["totals"]["restarts"] == 0);
  const auto page = berth::migrate::report_page(report);
  CHECK(has(page, "class=\"tile good\"><b>0</b>"));
  report["totals"]["restarts"] = 1;
  CHECK(has(berth::migrate::report_page(report), "class=\"tile bad\"><b>1</b>"));
}

TEST_CASE("every attempt stays in the report: what failed and why, what was backed out, what came after",
          "[migrate][report]") {
  Fleet fleet;
  eventful(fleet);
  const auto report = report_of(fleet);
  const auto birch = machine_of(report, "birch");
  CHECK(states(birch["steps"][1]["attempts"]) == "1:failed 2:done 2:backed_out 3:done");
  CHECK(has(birch["steps"][1]["attempts"][0]["error"], "the engine refused the file; given back"));
  CHECK(birch["steps"][1]["attempts"][1]["proof"]["push_id"] != birch["steps"][1]["proof"]["push_id"]);
  CHECK(report["runs"].size() == 4);
  CHECK(machine_of(report, "cedar")["state"] == "set aside");
  CHECK(birch["state"] == "under way");
  CHECK(has(report["next"], "set aside"));
}

TEST_CASE("the page needs nothing beside itself, and nothing that it shows is markup", "[migrate][report]") {
  Fleet fleet;
  eventful(fleet);
  const auto report = report_of(fleet);
  const auto page = berth::migrate::report_page(report);
  CHECK_FALSE(has(page, "src="));
  CHECK_FALSE(has(page, "<link"));
  CHECK_FALSE(has(page, "url("));
  CHECK_FALSE(has(page, "@import"));
  CHECK_FALSE(has(page, "<b>its disk"));
  CHECK(has(page, "&lt;/script&gt;&lt;b&gt;its disk &quot;grew&quot;&lt;/b&gt;"));
  for (const auto* machine : {"alder", "birch", "cedar", "dogwood"})
    CHECK(has(page, "<section class=\"machine\" id=\"" + std::string{machine} + "\">"));
  // The same as JSON, whole, inside the page.
  const auto from = page.find("id=\"report\">") + 12;
  CHECK(Json::parse(page.substr(from, page.find("</script>", from) - from)) == report);
}

TEST_CASE("a difference keeps what is odd in it, and a control character can be seen", "[migrate][report]") {
  const auto shown = berth::migrate::report_detail::difference("--- a\n+++ b\n@@ -1 +1 @@\n-<x>\x01\n+\xff\n");
  CHECK(has(shown, "<span class=\"del\">-&lt;x&gt;&#x2401;</span>"));
  CHECK(has(shown, "<span class=\"add\">+\xef\xbf\xbd</span>"));
}

namespace {

std::string browser(const std::vector<std::string>& more, const std::string& program) {
  // Its own sandbox needs rights that a container does not have; the page is ours and loads nothing.
  std::vector<std::string> line{program,           "--headless=new",        "--no-sandbox", "--disable-gpu",
                                "--disable-dev-shm-usage", "--virtual-time-budget=3000"};
  line.insert(line.end(), more.begin(), more.end());
  const auto said = berth::run_process(line, std::chrono::seconds{90}, berth::no_faults(), {}, std::size_t{64} << 20);
  INFO((said ? said->err : said.error().detail));
  REQUIRE(said.ok());
  REQUIRE(said->exit_status == 0);
  return said->out;
}

}  // namespace

TEST_CASE("a browser shows the page: its parts are there, nothing is wider than the window, and it prints",
          "[migrate][report][.slow]") {
  std::string program;
  if (!berth::test::part_present("BERTH_TEST_BROWSER", program)) return;
  Fleet fleet;
  eventful(fleet);
  const berth::test::TempFolder folder;
  // A page of our own asks it: what a person would see when something is too wide, or missing.
  const auto asks =
      "<script>addEventListener('load', () => { const d = document, w = d.documentElement; d.body.dataset.seen = "
      "[d.querySelectorAll('section.machine').length, d.querySelectorAll('svg .bar').length > 20, "
      "w.scrollWidth <= w.clientWidth, [...d.querySelectorAll('svg text')].every(t => t.getBBox().x >= 0), "
      "d.querySelectorAll('section.machine b').length, JSON.parse(d.getElementById('report').textContent)"
      ".machines.length].join(' '); });</script>";
  const auto page = berth::migrate::report_page(report_of(fleet));
  REQUIRE(berth::write_file(folder / "page.html", page + asks, 0600, berth::no_faults()).ok());
  const auto url = "file://" + (folder / "page.html").native();
  const auto home = "--user-data-dir=" + (folder / "profile").native();
  const auto dom = browser({home, "--window-size=1200,900", "--dump-dom", url}, program);
  CHECK(has(dom, "data-seen=\"4 true true true 0 4\""));
  CHECK(has(browser({home, "--window-size=420,800", "--dump-dom", url}, program), "data-seen=\"4 true true"));

  browser({home, "--no-pdf-header-footer", "--print-to-pdf=" + (folder / "page.pdf").native(), url}, program);
  const auto pdf = berth::read_file(folder / "page.pdf", std::size_t{64} << 20);
  REQUIRE(pdf.ok());
  CHECK(pdf->starts_with("%PDF-"));
  std::size_t pages = 0;
  for (auto at = pdf->find("/Type /Page\n"); at != std::string::npos; at = pdf->find("/Type /Page\n", at + 1)) ++pages;
  CHECK(pages >= 5);  // the overview, and a machine begins a page of its own
  browser({home, "--window-size=1200,1600", "--screenshot=" + (folder / "page.png").native(), url}, program);
  CHECK(std::filesystem::file_size(folder / "page.png") > 40'000);  // a blank page of this size is 12 kB
  if (const char* keep = std::getenv("BERTH_KEEP_REPORT"); keep != nullptr) {
    for (const auto* name : {"page.html", "page.pdf", "page.png"})
      std::filesystem::copy_file(folder / name, std::filesystem::path{keep} / name,
                                 std::filesystem::copy_options::overwrite_existing);
  }
}
