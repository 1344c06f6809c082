// berth-holder as a process.
#include <fcntl.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/process.h"
#include "catch.h"
#include "holder/client/client.h"
#include "tests/holder/serve/raw_client.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace berth::test;
using Catch::Matchers::Contains;

namespace {

/// Where systemd would listen for READY=1.
class NotifySocket {
 public:
  explicit NotifySocket(const std::filesystem::path& path) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
    REQUIRE(::bind(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  }
  std::string hear() {
    pollfd one{fd_.get(), POLLIN, 0};
    if (::poll(&one, 1, 20'000) <= 0) return "silence";
    char buffer[256];
    const auto n = ::read(fd_.get(), buffer, sizeof(buffer));
    return {buffer, n > 0 ? static_cast<std::size_t>(n) : 0};
  }

 private:
  OwnedFd fd_;
};

class HolderProcess {
 public:
  HolderProcess(const std::filesystem::path& config, const std::filesystem::path& notify) {
    pid_ = ::fork();
    if (pid_ == 0) {
      ::setenv("NOTIFY_SOCKET", notify.c_str(), 1);
      ::setenv("WATCHDOG_USEC", "200000", 1);
      ::unsetenv("WATCHDOG_PID");
      const int log = ::open((config.native() + ".log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      ::dup2(log, 2);
      ::execl(BERTH_HOLDER, "berth-holder", "run", "--config", config.c_str(), nullptr);
      ::_exit(127);
    }
  }
  ~HolderProcess() {
    if (pid_ > 0) end(SIGKILL);
  }
  int end(int signal) {
    ::kill(pid_, signal);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = 0;
};

Json config_in(const TempFolder& folder) {
  return {{"machine", "alder"},
          {"engine", {{"socket", (folder / "no-engine.sock").native()}}},
          {"socket", (folder / "h.sock").native()},
          {"socket_uids", {::getuid()}},
          {"store", (folder / "h.db").native()},
          {"seat", (folder / "seat.json").native()}};
}

}  // namespace

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
