#include "base/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "base/file.h"
#include "catch.h"
#include "tests/support/fakes.h"

using namespace berth;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

Result<Finished> sh(const std::string& script, std::chrono::milliseconds limit = 20s, std::string_view input = {},
                    std::size_t most = 1 << 20) {
  return run_process({"/bin/sh", "-c", script}, limit, no_faults(), input, most);
}

}  // namespace

TEST_CASE("a process's two outputs and its end are told apart", "[base]") {
  const auto ended = sh("echo out; echo err >&2; exit 3").value();
  CHECK(ended.out == "out\n");
  CHECK(ended.err == "err\n");
  CHECK(ended.exit_status == 3);
  CHECK(sh("kill -TERM $$").value().exit_status == 128 + SIGTERM);
}

TEST_CASE("no shell stands between the words and the program", "[base]") {
  CHECK(run_checked({"echo", "$HOME; *", "a b"}, 20s, no_faults()).value() == "$HOME; * a b\n");
}

TEST_CASE("input of any size goes through while output comes back", "[base]") {
  const std::string input(3 << 20, 'x');
  const auto ended = sh("cat", 20s, input, std::size_t{8} << 20).value();
  CHECK(ended.out == input);
}

TEST_CASE("a process that does not read its input ends ours not", "[base]") {
  const std::string input(1 << 20, 'x');
  std::vector<std::jthread> threads;
  std::atomic<int> fine = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) fine += sh("exec <&-; exit 0", 20s, input).value().exit_status == 0 ? 1 : 0;
    });
  }
  threads.clear();
  CHECK(fine == 20);
  struct sigaction now {};
  ::sigaction(SIGPIPE, nullptr, &now);
  CHECK(now.sa_handler == SIG_DFL);
}

TEST_CASE("output beyond the bound is dropped, and the process can still end", "[base]") {
  const auto ended = sh("yes | head -c 3000000; echo done >&2", 20s, {}, 1000).value();
  CHECK(ended.out.size() == 1000);
  CHECK(ended.err == "done\n");
}

TEST_CASE("past the limit the whole group is killed and the answer is timeout", "[base]") {
  test::TempFolder folder;
  const auto pid_file = (folder / "pid").native();
  const auto start = std::chrono::steady_clock::now();
  const auto ended = sh("sleep 1000 & echo $! > " + pid_file + "; wait", 300ms);
  REQUIRE_FALSE(ended);
  CHECK(ended.error().code == Errc::timeout);
  CHECK_THAT(ended.error().detail, Contains("/bin/sh") && Contains("300 ms"));
  CHECK(std::chrono::steady_clock::now() - start < 10s);
  const auto grandchild = static_cast<pid_t>(std::stoi(read_file(pid_file).value()));
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    const auto stat = read_file("/proc/" + std::to_string(grandchild) + "/stat");
    gone = !stat || stat->find(") Z") != std::string::npos;  // nobody may be there to reap it
    if (!gone) std::this_thread::sleep_for(10ms);
  }
  CHECK(gone);
}

TEST_CASE("a program that is not there, and no program at all, are errors", "[base]") {
  const auto missing = run_process({"berth-no-such-program"}, 1s, no_faults());
  REQUIRE_FALSE(missing);
  CHECK_THAT(missing.error().detail, Contains("berth-no-such-program"));
  CHECK_FALSE(run_process({}, 1s, no_faults()));
}

TEST_CASE("a checked run quotes what the program said", "[base]") {
  const auto failed = run_checked({"/bin/sh", "-c", "echo it broke >&2; exit 4"}, 20s, no_faults());
  REQUIRE_FALSE(failed);
  CHECK_THAT(failed.error().detail, Contains("exit status 4") && Contains("it broke"));
}

TEST_CASE("the seam is asked before a process is made", "[base]") {
  test::TempFolder folder;
  test::ScriptedSeam seam;
  seam.fail_at("process.run");
  CHECK_FALSE(run_process({"touch", (folder / "f").native()}, 20s, seam));
  CHECK_FALSE(std::filesystem::exists(folder / "f"));
}

TEST_CASE("signals a library made us ignore are default again in the child", "[base]") {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before);
  const auto ended = sh("kill -PIPE $$; echo lived");
  ::sigaction(SIGPIPE, &before, nullptr);
  CHECK(ended.value().exit_status == 128 + SIGPIPE);
}
