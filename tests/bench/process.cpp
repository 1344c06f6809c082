#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "tests/bench/bench.h"

namespace berth::bench {
namespace {

/// A row of smaps_rollup, in megabytes.
double rollup_mb(int pid, const std::string& name) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/smaps_rollup"};
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::strtod(line.c_str() + name.size() + 1, nullptr) / 1024;
  }
  return -1;
}

/// utime + stime, in milliseconds.
double cpu_ms(int pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
  std::stringstream text;
  text << file.rdbuf();
  auto words = text.str();
  words = words.substr(words.rfind(')') + 2);
  std::stringstream rest{words};
  std::string word;
  for (int i = 0; i < 11; ++i) rest >> word;
  double user = 0, system = 0;
  rest >> user >> system;
  return (user + system) * 1000 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

bool is_served(const std::string& socket) {
  const OwnedFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.copy(address.sun_path, sizeof(address.sun_path) - 1);
  return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
}

/// From exec until its socket answers, and then it is ended.
Nanoseconds start_up(const Rig& rig, const std::string& config, const std::string& socket) {
  const char* words[] = {rig.holder_program.c_str(), "run", "--config", config.c_str(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
  pid_t pid = 0;
  const auto took = time_of([&] {
    ::posix_spawn(&pid, words[0], &actions, nullptr, const_cast<char**>(words), environ);
    for (int i = 0; i < 20'000 && !is_served(socket); ++i) ::usleep(250);
    KeptHttp{socket}.ask("GET", "/healthz");
  });
  posix_spawn_file_actions_destroy(&actions);
  ::kill(pid, SIGTERM);
  ::waitpid(pid, nullptr, 0);
  return took;
}

Samples start_ups(const Rig& rig) {
  const Json config = {{"machine", "bench2"}, {"engine", {{"socket", rig.engine}}}, {"socket", rig.folder + "/h2.sock"},
                       {"socket_uids", {::getuid()}}, {"store", rig.folder + "/h2.db"}, {"seat", rig.folder + "/none.json"}};
  std::ofstream{rig.folder + "/h2.json"} << config;
  Samples samples;
  for (int i = 0; i < std::max(10, rig.rounds / 10); ++i)
    samples.add(start_up(rig, rig.folder + "/h2.json", rig.folder + "/h2.sock"));
  return samples;
}

int check(const char* what, double value, const char* unit, double most) {
  std::printf("%-44s %8.2f %-4s goal <= %g: %s\n", what, value, unit, most, value <= most ? "met" : "MISSED");
  return value <= most ? 0 : 1;
}

}  // namespace

int bench_process(const Rig& rig) {
  std::printf("\nthe holder as a process\n");
  KeptHttp holder{rig.holder};
  for (int i = 0; i < 100; ++i) expect_good(holder.ask("POST", "/v1/verbs/list", "{}"), "list");
  std::this_thread::sleep_for(std::chrono::seconds{12});  // the threads that came with the calls are gone
  const double before = cpu_ms(rig.holder_pid);
  std::this_thread::sleep_for(std::chrono::seconds{20});
  int missed = check("processor time in 20 s of nothing", cpu_ms(rig.holder_pid) - before, "ms", 20);
  missed += check("private dirty memory", rollup_mb(rig.holder_pid, "Private_Dirty"), "MB", 8);
  missed += check("resident memory", rollup_mb(rig.holder_pid, "Rss"), "MB", 24);
  const auto starts = start_ups(rig);
  missed += check("from exec to a served socket, p50", starts.p50_ms(), "ms", 50);
  std::printf("%-44s %8.2f ms   n=%zu\n", "from exec to a served socket, p99", starts.p99_ms(), starts.size());
  return missed;
}

}  // namespace berth::bench
