#include "tests/bench/http.h"

#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace berth::bench {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench: %s\n", why.c_str());
  std::exit(1);
}

bool has_name(std::string_view line, std::string_view name) {
  return line.size() > name.size() && ::strncasecmp(line.data(), name.data(), name.size()) == 0;
}

std::size_t number_in(std::string_view text, int base) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, base);
  return number;
}

}  // namespace

KeptHttp::KeptHttp(std::string socket) : socket_(std::move(socket)) { connect(); }

void KeptHttp::connect() {
  buffer_.clear();
  fd_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket_.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    give_up("nobody listens on " + socket_);
}

void KeptHttp::send(std::string_view text) {
  while (!text.empty()) {
    const auto n = ::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (n <= 0) give_up(socket_ + " closed");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string KeptHttp::read_line() {
  std::size_t end = buffer_.find("\r\n");
  while (end == std::string::npos) {
    char more[65536];
    const auto n = ::read(fd_.get(), more, sizeof more);
    if (n <= 0) give_up(socket_ + " closed within an answer");
    buffer_.append(more, static_cast<std::size_t>(n));
    end = buffer_.find("\r\n");
  }
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

std::string KeptHttp::read_bytes(std::size_t count) {
  while (buffer_.size() < count) {
    char more[65536];
    const auto n = ::read(fd_.get(), more, sizeof more);
    if (n <= 0) give_up(socket_ + " closed within a body");
    buffer_.append(more, static_cast<std::size_t>(n));
  }
  auto bytes = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return bytes;
}

std::string KeptHttp::next_chunk() {
  const auto size = number_in(read_line(), 16);
  auto bytes = read_bytes(size);
  read_bytes(2);
  return bytes;
}

KeptHttp::Answer KeptHttp::read_answer() {
  Answer answer;
  const auto first = read_line();
  answer.status = static_cast<int>(number_in(std::string_view{first}.substr(9), 10));
  std::size_t length = 0;
  bool chunked = false;
  for (auto line = read_line(); !line.empty(); line = read_line()) {
    if (has_name(line, "content-length:")) length = number_in(std::string_view{line}.substr(15), 10);
    chunked = chunked || (has_name(line, "transfer-encoding:") && line.find("chunked") != std::string::npos);
  }
  if (answer.status == 204 || answer.status == 304) return answer;
  if (!chunked) {
    answer.body = read_bytes(length);
    return answer;
  }
  for (auto chunk = next_chunk(); !chunk.empty(); chunk = next_chunk()) answer.body += chunk;
  return answer;
}

void KeptHttp::begin(std::string_view target) {
  send("GET " + std::string{target} + " HTTP/1.1\r\nHost: x\r\n\r\n");
  read_line();
  for (auto line = read_line(); !line.empty(); line = read_line()) {
  }
}

KeptHttp::Answer KeptHttp::ask(std::string_view method, std::string_view target, std::string_view body) {
  // The engine lets a connection go on which nothing comes for some minutes.
  const auto now = std::chrono::steady_clock::now();
  if (now - std::exchange(used_, now) > std::chrono::seconds{30}) connect();
  auto text = std::string{method} + " " + std::string{target} + " HTTP/1.1\r\nHost: x\r\n";
  if (method != "GET")
    text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  send(text + "\r\n" + std::string{body});
  return read_answer();
}

}  // namespace berth::bench
