#include "tests/bench/rig.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "base/json.h"
#include "base/process.h"
#include "bus/subjects.h"

namespace berth::bench {
namespace {

constexpr const char* kImage = "berth-bench-busybox:latest";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) return value;
  std::fprintf(stderr, "bench: %s is not set: scripts/bench sets it\n", name);
  std::exit(2);
}

}  // namespace

Rig Rig::from_environment() {
  Rig rig;
  rig.engine = environment("BENCH_ENGINE");
  rig.holder = environment("BENCH_HOLDER");
  rig.ask = environment("BENCH_ASK");
  rig.docker = environment("BENCH_DOCKER");
  rig.bus_url = environment("BENCH_BUS");
  rig.holder_program = environment("BENCH_HOLDER_PROGRAM");
  rig.folder = environment("BENCH_FOLDER");
  rig.holder_pid = std::atoi(environment("BENCH_HOLDER_PID").c_str());
  rig.rounds = std::atoi(environment("BENCH_ROUNDS").c_str());
  rig.containers = std::atoi(environment("BENCH_CONTAINERS").c_str());
  return rig;
}

std::unique_ptr<bus::Bus> Rig::caller() const {
  bus::BusConfig config;
  config.url = bus_url;
  config.name = "bench";
  config.inbox_prefix = bus::inbox_prefix("bench");
  auto made = bus::Bus::connect(config, no_faults(), std::chrono::seconds{10});
  if (made) return std::move(made).value();
  std::fprintf(stderr, "bench: %s\n", to_text(made.error()).c_str());
  std::exit(1);
}

std::string Rig::subject(const std::string& verb_class, const std::string& verb) const {
  return "mesh.bench.node-container-runtime." + verb_class + "." + verb + ".bench";
}

void expect_good(const KeptHttp::Answer& answer, const std::string& doing) {
  if (answer.status >= 200 && answer.status < 300) return;
  std::fprintf(stderr, "bench: %s: %d %s\n", doing.c_str(), answer.status, answer.body.c_str());
  std::exit(1);
}

std::string body_of(const std::string& script) {
  return Json{{"Image", kImage},
              {"Cmd", {"sh", "-c", script}},
              {"Labels", {{"berth-bench", "1"}, {"app.team", "blue"}, {"app.part", "web"}}},
              {"HostConfig", {{"NetworkMode", "none"}}}}
      .dump();
}

void have_image(const Rig& rig) {
  KeptHttp engine{rig.engine};
  if (engine.ask("GET", std::string{"/v1.41/images/"} + kImage + "/json").status == 200) return;
  const auto script =
      "set -e; cd " + rig.folder +
      "; mkdir -p r/bin; cp \"$(command -v busybox)\" r/bin/busybox; for a in sh sleep seq echo true; do ln -sf busybox r/bin/$a; done; tar -C r -c .";
  const auto tar = run_process({"sh", "-c", script}, std::chrono::seconds{30}, no_faults(), {}, std::size_t{16} << 20);
  if (!tar || tar->exit_status != 0) {
    std::fprintf(stderr, "bench: no busybox to make an image of\n");
    std::exit(1);
  }
  expect_good(engine.ask("POST", "/v1.41/images/create?fromSrc=-&repo=berth-bench-busybox&tag=latest", tar->out), "import");
}

Herd::Herd(const Rig& rig, const std::string& prefix, int count, bool running) : engine_(rig.engine), prefix_(prefix) {
  for (int i = 0; i < count; ++i) {
    const auto made = engine_.ask("POST", "/v1.41/containers/create?name=" + name(static_cast<std::size_t>(i)),
                                  body_of("seq 1 300; while true; do sleep 1000; done"));
    expect_good(made, "create");
    ids_.push_back(Json::parse(made.body).at("Id"));
    if (running) expect_good(engine_.ask("POST", "/v1.41/containers/" + ids_.back() + "/start"), "start");
  }
}

Herd::~Herd() {
  for (const auto& id : ids_) engine_.ask("DELETE", "/v1.41/containers/" + id + "?force=1&v=1");
}

void run_quietly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const auto& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  int status = -1;
  if (::posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ) == 0) ::waitpid(pid, &status, 0);
  posix_spawn_file_actions_destroy(&actions);
  if (status == 0) return;
  std::fprintf(stderr, "bench: %s failed\n", words.front().c_str());
  std::exit(1);
}

}  // namespace berth::bench
