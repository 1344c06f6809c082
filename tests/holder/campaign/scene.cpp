#include "tests/holder/campaign/scene.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "base/json.h"
#include "base/owned.h"
#include "catch.h"
#include "store/outbox.h"
#include "store/store.h"

namespace berth::test::campaign {
namespace {

using namespace std::chrono_literals;

constexpr const char* kStream = "BERTH_MESH_EVENTS";
const std::string kSubjects = "mesh.alder.node-container-runtime.event.";

Json seat_document() {
  Json events = Json::object();
  for (const auto* kind : {"created", "started", "stopped", "died", "removed", "health", "gap"})
    events[kind] = kSubjects + kind;
  return {{"fleet", "mesh"},
          {"machine", "alder"},
          {"seat", "node-container-runtime"},
          {"module", "docker"},
          {"held", true},
          {"subjects", {{"read", Json::object()}, {"act", Json::object()}, {"event", events}}},
          {"stream", kStream},
          {"grants", Json::array()}};
}

/// The process at the other end of a unix socket, as the kernel knows it: whoever listened.
pid_t listener_of(const std::string& path) {
  const OwnedFd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 0;
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

std::int64_t number_of(const std::string& id) { return std::stoll(id.substr(id.rfind(':') + 1)); }

Heard heard_of(const Json& body) {
  Heard heard;
  heard.kind = body.at("kind").get<std::string>();
  heard.container = body.value("container", "");
  heard.seq = number_of(body.at("id").get<std::string>());
  heard.inferred = body.at("inferred").get<bool>();
  if (body.contains("exit_code")) heard.exit_code = body.at("exit_code").get<int>();
  if (heard.kind != "gap") return heard;
  heard.from = parse_rfc3339(body.at("from").get<std::string>()).value();
  heard.to = parse_rfc3339(body.at("to").get<std::string>()).value();
  return heard;
}

}  // namespace

Scene::Scene(std::string engine_socket) : engine_socket_(std::move(engine_socket)) {
  bus::BusConfig config;
  config.url = broker_.url();
  config.name = "reader";
  auto reader = bus::Bus::connect(config, seam_, 10s);
  if (!reader) FAIL(reader.error().detail);
  reader_ = std::move(reader).value();
  REQUIRE(reader_->ensure_stream({.name = kStream, .subjects = {kSubjects + "*"}}).ok());
  std::ofstream{folder_ / "seat.json"} << seat_document();
  std::ofstream{folder_ / "holder.json"} << Json{{"machine", "alder"},
                                                 {"engine", {{"socket", engine_socket_}}},
                                                 {"socket", (folder_ / "h.sock").native()},
                                                 {"socket_uids", {::getuid()}},
                                                 {"store", (folder_ / "h.db").native()},
                                                 {"seat", (folder_ / "seat.json").native()},
                                                 {"bus", {{"url", broker_.url()}}}};
  engine_answers();
  holder_starts();
}

Scene::~Scene() { holder_dies(); }

void Scene::holder_starts() {
  holder_ = ::fork();
  REQUIRE(holder_ >= 0);
  if (holder_ != 0) return;
  const int log = ::open((folder_ / "holder.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(log, 2);
  ::execl(BERTH_HOLDER, "berth-holder", "run", "--config", (folder_ / "holder.json").c_str(), nullptr);
  ::_exit(127);
}

void Scene::holder_ends(int signal) {
  if (holder_ <= 0) return;
  ::kill(holder_, signal);
  int status = 0;
  ::waitpid(holder_, &status, 0);
  holder_ = 0;
}

void Scene::engine_dies() {
  const auto pid = listener_of(engine_socket_);
  if (pid > 1) ::kill(pid, SIGKILL);
}

void Scene::engine_answers() {
  for (int i = 0; i < 600; ++i) {
    const auto engine = holder::engine::Engine::open(engine_socket_, {}, seam_);
    if (engine && (*engine)->list()) return;
    std::this_thread::sleep_for(100ms);
  }
  FAIL("the engine at " << engine_socket_ << " did not come back within a minute");
}

std::vector<bus::StreamMessage> Scene::messages() {
  constexpr std::size_t kPage = 1000;
  std::vector<bus::StreamMessage> all;
  std::uint64_t next = 1;
  for (int failures = 0; failures < 20;) {
    auto page = reader_->read_stream(kStream, kSubjects + "*", next, kPage, 500ms);
    if (!page) {
      ++failures;
      std::this_thread::sleep_for(500ms);
      continue;
    }
    if (page->empty()) return all;
    next = page->back().sequence + 1;
    for (auto& message : *page) all.push_back(std::move(message));
  }
  FAIL("the stream could not be read");
  return all;
}

std::vector<Heard> Scene::stream() {
  std::vector<Heard> heard;
  std::set<std::int64_t> known;
  for (const auto& message : messages()) {
    auto one = heard_of(Json::parse(message.message.data));
    if (known.insert(one.seq).second) heard.push_back(std::move(one));
  }
  return heard;
}

std::vector<std::string> Scene::published_ids() {
  std::vector<std::string> ids;
  for (const auto& message : messages())
    ids.push_back(Json::parse(message.message.data).at("id").get<std::string>());
  return ids;
}

void Scene::stream_settles() {
  std::size_t before = 0;
  int quiet = 0;
  for (int i = 0; i < 120 && quiet < 8; ++i) {
    const auto now = messages().size();
    quiet = now == before ? quiet + 1 : 0;
    before = now;
    std::this_thread::sleep_for(1s);
  }
}

Scene::Kept Scene::kept() {
  auto store = store::Store::open(folder_ / "h.db", store::Role::holder, system_clock(), seam_);
  if (!store) FAIL(store.error().detail);
  Kept kept;
  const auto rows = store->table("SELECT id FROM runtime_event ORDER BY seq", {});
  REQUIRE(rows.ok());
  for (const auto& row : rows->rows) kept.ids.push_back(std::get<std::string>(row.front()));
  const auto waiting = store->table("SELECT count(*) FROM outbox", {});
  REQUIRE(waiting.ok());
  kept.waiting = std::get<std::int64_t>(waiting->rows.front().front());
  return kept;
}

std::string Scene::log() const {
  std::ifstream file{folder_ / "holder.log"};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace berth::test::campaign
