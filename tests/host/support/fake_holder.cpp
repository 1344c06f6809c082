#include "tests/host/support/fake_holder.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"

namespace berth::test {
namespace {

/// One request whole: the head, then as many bytes as it says.
std::string read_request(int connection) {
  std::string text;
  std::array<char, 8192> block{};
  for (;;) {
    const auto head = text.find("\r\n\r\n");
    if (head != std::string::npos) {
      const auto at = text.find("Content-Length: ");
      const std::size_t length = at < head ? std::stoul(text.substr(at + 16)) : 0;
      if (text.size() >= head + 4 + length) return text;
    }
    const auto n = ::read(connection, block.data(), block.size());
    if (n <= 0) return text;
    text.append(block.data(), static_cast<std::size_t>(n));
  }
}

void write_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

FakeHolder::FakeHolder(std::filesystem::path socket) : socket_(std::move(socket)) {}
FakeHolder::~FakeHolder() { stop(); }

void FakeHolder::start() {
  std::filesystem::create_directories(socket_.parent_path());
  ::unlink(socket_.c_str());
  listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, socket_.c_str(), sizeof address.sun_path - 1);
  if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) std::abort();
  if (::listen(listener_.get(), 16) != 0) std::abort();
  thread_ = std::jthread{[this](std::stop_token stop) { serve(stop); }};
}

void FakeHolder::stop() {
  if (!listener_) return;
  thread_.request_stop();
  thread_.join();
  listener_.reset();
  ::unlink(socket_.c_str());
}

void FakeHolder::serve(std::stop_token stop) {
  while (!stop.stop_requested()) {
    pollfd ready{listener_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 10) <= 0) continue;
    const OwnedFd connection{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (connection) answer(connection.get());
  }
}

void FakeHolder::answer(int connection) {
  const auto request = read_request(connection);
  const auto path = request.substr(0, request.find(" HTTP/"));
  const auto body = request.substr(std::min(request.size(), request.find("\r\n\r\n") + 4));
  Result<Json> answer{Json{}};
  if (path == "GET /v1/seat") {
    const std::scoped_lock lock{mutex_};
    answer = seat;
  } else {
    const auto params = parse_json(body.empty() ? "{}" : body, "the request");
    answer = params ? call(path.substr(path.rfind('/') + 1), *params) : Result<Json>{params.error()};
  }
  const auto text = answer ? answer->dump() : to_problem(answer.error()).dump();
  const auto status = answer ? "200 OK" : std::to_string(error_row(answer.error().code).status) + " Refused";
  write_all(connection, "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nContent-Length: " +
                            std::to_string(text.size()) + "\r\nConnection: close\r\n\r\n" + text);
  ::shutdown(connection, SHUT_WR);
  std::array<char, 256> rest{};
  while (::read(connection, rest.data(), rest.size()) > 0) {
  }
}

Json* FakeHolder::find(const std::string& container) {
  const auto at = std::ranges::find_if(
      containers_, [&](const Json& c) { return c["id"] == container || c["name"] == container; });
  return at == containers_.end() ? nullptr : &*at;
}

Json FakeHolder::make(const std::string& name, const std::string& image, const std::string& assignment,
                      bool running) {
  ++made_;
  return {{"id", sha256_hex(name + std::to_string(made_))},
          {"name", name},
          {"image", image},
          {"state", running ? "running" : "created"},
          {"assignment", assignment.empty() ? Json{} : Json(assignment)},
          {"mesh_held", !assignment.empty()},
          {"started_at", running ? "2026-01-01T00:00:00.000000000Z" : ""},
          {"restarts", 0},
          {"pid", running ? 1000 + made_ : 0}};
}

Result<Json> FakeHolder::call(const std::string& verb, const Json& params) {
  const std::scoped_lock lock{mutex_};
  const auto name = params.value("container", params.value("name", ""));
  asked_.push_back(name.empty() ? verb : verb + " " + name);
  if (verb == "list") {
    Json summaries = containers_;
    for (auto& one : summaries) one.erase("pid");  // a summary names no process
    return Json{{"containers", containers_.empty() ? Json::array() : summaries}, {"next", Json{}}};
  }
  if (verb == "daemon_config")
    return Json{{"file", Json::object()},
                {"engine", engine_},
                {"not_taken", Json::array()},
                {"last_reload", last_reload_}};
  if (verb == "create") {
    std::erase_if(containers_, [&](const Json& c) { return c["id"] == params.value("replaces", Json{}); });
    if (find(name) != nullptr) return fail(Errc::conflict, "the name " + name + " is in use");
    containers_.push_back(
        make(name, params.value("image", ""), params.value("assignment", ""), params.value("start", true)));
    return Json{{"id", containers_.back()["id"]}, {"name", name}, {"warnings", Json::array()}};
  }
  auto* container = find(name);
  if (container == nullptr) return fail_field(Errc::not_found, "container", "no container " + name);
  if (verb == "remove") containers_.erase(containers_.begin() + (container - containers_.data()));
  if (verb == "start" || verb == "stop") (*container)["state"] = verb == "start" ? "running" : "exited";
  if (verb != "inspect") return Json{{"container", name}};
  auto answer = *container;
  if (params.contains("against"))
    answer["differs"] = params["against"]["image"] == answer["image"] ? Json::array() : Json{"image"};
  return answer;
}

std::vector<std::string> FakeHolder::asked() const {
  const std::scoped_lock lock{mutex_};
  return asked_;
}

std::vector<Json> FakeHolder::containers() const {
  const std::scoped_lock lock{mutex_};
  return containers_;
}

void FakeHolder::add(const std::string& name, const std::string& image, const std::string& assignment) {
  const std::scoped_lock lock{mutex_};
  containers_.push_back(make(name, image, assignment, true));
}

void FakeHolder::remove_by_hand(const std::string& name) {
  const std::scoped_lock lock{mutex_};
  std::erase_if(containers_, [&](const Json& c) { return c["name"] == name; });
}

void FakeHolder::set_engine(bool live_restore, std::vector<std::string> registries,
                            const std::string& reloaded_at) {
  const std::scoped_lock lock{mutex_};
  engine_["live_restore"] = live_restore;
  engine_["insecure_registries"] = std::move(registries);
  last_reload_ = reloaded_at.empty() ? Json{} : Json{{"at", reloaded_at}, {"attributes", Json::object()}};
}

}  // namespace berth::test
