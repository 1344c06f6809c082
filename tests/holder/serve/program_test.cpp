// berth-holder as a process.
#include <fstream>
#include <future>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "catch.h"
#include "holder/client/client.h"
#include "store/store.h"
#include "tests/holder/serve/holder_process.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

TEST_CASE("the holder is ready without an engine, says so when asked, and ends cleanly", "[program]") {
  const TempFolder folder;
  std::ofstream{folder / "holder.json"} << config_in(folder);
  NotifySocket systemd{folder / "notify"};
  HolderProcess holder{folder / "holder.json", folder / "notify"};
  CHECK(systemd.hear() == "READY=1");
  CHECK(systemd.hear() == "WATCHDOG=1");
  const holder::client::HolderClient client{folder / "h.sock"};
  const auto seat = client.seat();
  REQUIRE(seat);
  CHECK((*seat)["engine"]["answering"] == false);
  CHECK_THAT((*seat)["engine"]["cause"].get<std::string>(), Contains("no-engine.sock"));
  CHECK((*seat)["held"] == false);
  CHECK(client.call("list", Json::object()).error().code == Errc::engine_unreachable);
  CHECK(holder.end(SIGTERM) == 0);
  CHECK_FALSE(std::filesystem::exists(folder / "h.sock"));
}

TEST_CASE("SD01 an engine that hangs keeps neither READY nor the watchdog waiting", "[program]") {
  const TempFolder folder;
  const SilentEngine engine{folder / "engine.sock"};
  auto config = config_in(folder);
  config["engine"]["socket"] = (folder / "engine.sock").native();
  std::ofstream{folder / "holder.json"} << config;
  NotifySocket systemd{folder / "notify"};
  HolderProcess holder{folder / "holder.json", folder / "notify"};
  CHECK(systemd.hear() == "READY=1");
  const auto asked = engine.accept();
  for (int i = 0; i < 5; ++i) CHECK(systemd.hear() == "WATCHDOG=1");
  // All of that while the holder's first question to the engine was still open.
  CHECK(is_open(asked));
}

TEST_CASE("a holder that was killed leaves nothing that keeps the next from starting", "[program]") {
  const TempFolder folder;
  std::ofstream{folder / "holder.json"} << config_in(folder);
  NotifySocket systemd{folder / "notify"};
  {
    HolderProcess holder{folder / "holder.json", folder / "notify"};
    CHECK(systemd.hear() == "READY=1");
    holder.end(SIGKILL);
  }
  CHECK(std::filesystem::exists(folder / "h.sock"));
  HolderProcess next{folder / "holder.json", folder / "notify"};
  for (int i = 0; i < 100 && !holder::client::HolderClient{folder / "h.sock"}.seat(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100});
  }
  CHECK(holder::client::HolderClient{folder / "h.sock"}.seat().ok());
  CHECK(next.end(SIGTERM) == 0);
}

TEST_CASE("a holder's store is verified and backed up while it is used, restored when it is not, and no other's is", "[program]") {
  const TempFolder folder;
  std::ofstream{folder / "holder.json"} << config_in(folder);
  const auto backup = (folder / "copy.db").native();
  const auto keep = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {BERTH_HOLDER, "store", "--config", (folder / "holder.json").native()});
    return run_process(words, std::chrono::seconds{30}, no_faults()).value();
  };
  NotifySocket systemd{folder / "notify"};
  HolderProcess holder{folder / "holder.json", folder / "notify"};
  CHECK(systemd.hear() == "READY=1");
  CHECK(Json::parse(keep({"verify"}).out) == Json({{"store", (folder / "h.db").native()}, {"whole", true}}));
  CHECK(Json::parse(keep({"backup", backup}).out)["backup"] == backup);
  auto refused = std::async(std::launch::async, [&] { return keep({"restore", backup}); });
  while (refused.wait_for(std::chrono::seconds{0}) != std::future_status::ready) systemd.hear();  // as systemd does
  CHECK_THAT(refused.get().err, Contains("is written by berth-holder run (pid "));
  CHECK(holder.end(SIGTERM) == 0);
  const auto kept = Json::parse(keep({"restore", backup}).out)["kept"].get<std::string>();
  CHECK(std::filesystem::exists(kept));
  CHECK(Json::parse(keep({"verify"}).out)["whole"] == true);
  CHECK_THAT(keep({"backup"}).err, Contains("store backup needs a file"));
  CHECK(keep({"mend"}).exit_status == 2);
}

TEST_CASE("a holder's store that another program's is in the place of, or that is damaged, is told", "[program]") {
  const TempFolder folder;
  std::ofstream{folder / "holder.json"} << config_in(folder);
  const auto verify = [&] {
    return run_process({BERTH_HOLDER, "store", "verify", "--config", (folder / "holder.json").native()},
                       std::chrono::seconds{30}, no_faults())
        .value();
  };
  REQUIRE(store::Store::open(folder / "h.db", store::Role::host, system_clock(), no_faults()));
  const auto other = verify();
  CHECK(other.exit_status != 0);
  CHECK_THAT(other.err, Contains("host") && Contains("holder") && Contains("h.db"));
  std::filesystem::resize_file(folder / "h.db", 5000);
  const auto damaged = verify();
  CHECK(damaged.exit_status != 0);
  CHECK_THAT(damaged.err, Contains("h.db"));
}

TEST_CASE("a wrong configuration ends the holder with status 2, naming file, key and reason", "[program]") {
  const TempFolder folder;
  auto config = config_in(folder);
  config["sokcet"] = "/x";
  std::ofstream{folder / "holder.json"} << config;
  const auto ended = run_process({BERTH_HOLDER, "run", "--config", (folder / "holder.json").native()}, std::chrono::seconds{20}, no_faults());
  REQUIRE(ended);
  CHECK(ended->exit_status == 2);
  CHECK_THAT(ended->err, Contains("holder.json") && Contains("sokcet is not a known field"));
  CHECK_FALSE(std::filesystem::exists(folder / "h.db"));
}

TEST_CASE("a command line that says nothing or nonsense ends with status 2", "[program]") {
  for (const auto& words : {std::vector<std::string>{BERTH_HOLDER}, {BERTH_HOLDER, "rnu"}, {BERTH_HOLDER, "run", "--conf"}}) {
    const auto ended = run_process(words, std::chrono::seconds{20}, no_faults());
    REQUIRE(ended);
    CHECK(ended->exit_status == 2);
    CHECK_FALSE(ended->err.empty());
  }
}

TEST_CASE("describe prints what is served", "[program]") {
  const auto ended = run_process({BERTH_HOLDER, "describe"}, std::chrono::seconds{20}, no_faults());
  REQUIRE(ended);
  CHECK(ended->exit_status == 0);
  const auto document = Json::parse(ended->out);
  CHECK(document["verbs"].size() == 21);
  CHECK(document["events"].size() == 6);
}

TEST_CASE("NA11 the holder is ready without the bus, and one line is logged an act, with caller, target and outcome", "[program]") {
  const TempFolder folder;
  auto config = config_in(folder);
  config["bus"] = {{"url", "nats://127.0.0.1:9"}};
  std::ofstream{folder / "holder.json"} << config;
  NotifySocket systemd{folder / "notify"};
  HolderProcess holder{folder / "holder.json", folder / "notify"};
  CHECK(systemd.hear() == "READY=1");
  const holder::client::HolderClient client{folder / "h.sock"};
  CHECK(client.call("stop", {{"container", "web"}}).error().code == Errc::engine_unreachable);
  CHECK(client.call("inspect", {{"container", "web"}}).error().code == Errc::engine_unreachable);
  CHECK(client.call("docker_prune", {{"dry_run", 7}}).error().code == Errc::engine_unreachable);
  CHECK(holder.end(SIGTERM) == 0);
  const auto log = read_file(folder / "holder.json.log").value();
  CAPTURE(log);
  std::vector<std::string> calls;
  for (std::size_t at = log.find("verb call"); at != std::string::npos; at = log.find("verb call", at + 1))
    calls.push_back(log.substr(at, log.find('\n', at) - at));
  REQUIRE(calls.size() == 2);
  for (const auto* part : {"caller=host", "verb=stop", "target=web", "outcome=engine_unreachable"}) CHECK_THAT(calls[0], Contains(part));
  CHECK_THAT(calls[1], Contains("verb=prune") && Contains("outcome=engine_unreachable"));
}
