// Who goes first, how many at once, and who is left alone after a failure.
#include <condition_variable>
#include <set>

#include "catch.h"
#include "tests/migrate/fake_fleet.h"

using namespace berth::test;
using berth::Error;
using berth::Json;
using berth::Result;
using Kind = berth::migrate::Outcome::Kind;
using std::chrono::milliseconds;

namespace {

/// The fleet's port, in which what changes a machine waits until `together` machines are in it at once. It
/// would wait for ever: a bound makes that a failed test.
class GatheringPort final : public berth::migrate::Port {
 public:
  GatheringPort(berth::migrate::Port& port, std::string canary) : port_(port), canary_(std::move(canary)) {}
  Result<Json> ask(std::string_view machine, const Json& request, milliseconds limit) override {
    if (request["what"] == "release") gather(machine);
    return port_.ask(machine, request, limit);
  }
  Result<Json> ask_anew(std::string_view machine, const Json& request, milliseconds limit) override {
    return port_.ask_anew(machine, request, limit);
  }
  Result<Json> push(std::string_view machine, const Json& document) override {
    if (document["kind"] == "hand_over") gather(machine);
    return port_.push(machine, document);
  }
  berth::Status ensure_streams() override { return port_.ensure_streams(); }
  Result<std::optional<berth::migrate::Kept>> last_lease() override { return port_.last_lease(); }
  Result<std::uint64_t> claim_lease(std::string_view text, std::uint64_t expected) override {
    return port_.claim_lease(text, expected);
  }
  Result<std::vector<berth::migrate::Kept>> events(std::string_view m, std::uint64_t n,
                                                   milliseconds w) override {
    return port_.events(m, n, w);
  }
  Result<std::vector<berth::migrate::Kept>> reports(std::string_view m, std::uint64_t n,
                                                    milliseconds w) override {
    return port_.reports(m, n, w);
  }
  Result<std::uint64_t> events_end(std::string_view m) override { return port_.events_end(m); }
  Result<std::uint64_t> reports_end(std::string_view m) override { return port_.reports_end(m); }

  std::size_t together = 2;
  std::set<std::set<std::string>> groups;  // who was in it together
  bool gave_up = false;

 private:
  void gather(std::string_view machine) {
    std::unique_lock lock{mutex_};
    here_.insert(std::string{machine});
    if (machine == canary_ || here_.size() >= together) {
      groups.insert(here_);
      here_.clear();
      ++round_;
      come_.notify_all();
      return;
    }
    const auto mine = round_;
    if (!come_.wait_for(lock, std::chrono::seconds{20}, [&] { return round_ != mine; })) gave_up = true;
  }
  berth::migrate::Port& port_;
  std::string canary_;
  std::mutex mutex_;
  std::condition_variable come_;
  std::set<std::string> here_;
  int round_ = 0;
};

/// The machines of one step in the order they ended it.
std::string ends_of(const Fleet& fleet, const std::string& step) {
  std::string text;
  for (const auto& end : fleet.listener.ends) {
    if (end.starts_with(step + " ")) text += end.substr(2) + "; ";
  }
  return text;
}

}  // namespace

TEST_CASE(
    "in every step the canary goes first and alone, then max_parallel machines at once where nothing is "
    "shared",
    "[migrate]") {
  Fleet fleet;
  fleet.file.document["canary"] = {"cedar"};
  fleet.file.document["max_parallel"] = 3;
  GatheringPort port{fleet.port, "cedar"};
  port.together = 3;
  const auto document = fleet.document();
  auto store = fleet.open_store();
  berth::migrate::Site site{store, port, fleet.clock, fleet.seam, fleet.site(store).waits};
  const auto outcome =
      berth::migrate::run(document, fleet.options, site, fleet.listener, fleet.stop.get_token());
  INFO((outcome ? outcome->text : outcome.error().detail));
  REQUIRE((outcome.ok() && outcome->kind == Kind::done));
  CHECK_FALSE(port.gave_up);
  CHECK(port.groups == std::set<std::set<std::string>>{{"cedar"}, {"alder", "birch", "dogwood"}});
  for (const auto* step : {"1", "2", "3", "4", "5"}) CHECK(ends_of(fleet, step).starts_with("cedar done; "));
  CHECK(ends_of(fleet, "3") == "cedar done; alder done; birch done; dogwood done; ");
}

TEST_CASE("a canary that fails a step that pushes keeps every other machine from beginning it", "[migrate]") {
  Fleet fleet;
  fleet.at("alder").push_fails = true;
  CHECK(fleet.run()->kind == Kind::failed);
  CHECK(ends_of(fleet, "2") == "alder failed; ");
  for (const auto* machine : {"birch", "cedar", "dogwood"}) CHECK(fleet.at(machine).hand_overs() == 0);
}

TEST_CASE("a canary whose gate refuses step 4 keeps that release from every other machine", "[migrate]") {
  Fleet fleet;
  REQUIRE(fleet.run(3)->kind == Kind::done);
  fleet.at("alder").holder_answers = false;
  const auto outcome = fleet.run(4);
  CHECK(outcome->kind != Kind::done);
  CHECK(ends_of(fleet, "4") == "alder failed; ");
  for (const auto* machine : {"birch", "cedar", "dogwood"}) CHECK(fleet.at(machine).version() == "1.0.0");
  fleet.at("alder").holder_answers = true;
  CHECK(fleet.run()->kind == Kind::done);
}

TEST_CASE("everything undecided is shown in one run: step 1 reads on", "[migrate]") {
  Fleet fleet;
  fleet.file.document["machines"]["dogwood"].erase("settings");
  fleet.at("alder").file_text = R"({"live-restore": false})";
  const auto outcome = fleet.run();
  REQUIRE(outcome.ok());
  CHECK(outcome->kind == Kind::refused);
  const auto why = outcome->document["why"].get<std::string>();
  CHECK(why.find("alder: undecided") != std::string::npos);
  CHECK(why.find("dogwood: undecided") != std::string::npos);
  CHECK(fleet.ledger().find("1 alder failed\n1 birch done\n1 cedar done\n1 dogwood failed") !=
        std::string::npos);
  CHECK(fleet.port.acts == 0);
}
