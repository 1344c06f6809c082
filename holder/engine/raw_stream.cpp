#include "holder/engine/raw_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "holder/engine/access.h"
#include "holder/engine/refusal.h"
#include "holder/engine/transport.h"

namespace berth::holder::engine {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostHead = 65536;
constexpr std::size_t kPiece = 65536;

milliseconds left_of(Steady::time_point until) {
  const auto left = std::chrono::duration_cast<milliseconds>(until - Steady::now());
  return left.count() > 0 ? left : milliseconds{0};
}

/// Whether the descriptor is ready within `wait`.
bool ready(int fd, short what, milliseconds wait) {
  pollfd entry{fd, what, 0};
  const auto until = Steady::now() + wait;
  for (;;) {
    const int got = ::poll(&entry, 1, static_cast<int>(left_of(until).count()));
    if (got > 0) return true;
    if (got == 0 || errno != EINTR) return false;
  }
}

/// The status of "HTTP/1.1 101 UPGRADED"; 0 for what is no such line.
int status_of(const std::string& head) {
  int status = 0;
  if (head.starts_with("HTTP/1.") && head.size() > 12)
    std::from_chars(head.data() + 9, head.data() + 12, status);
  return status;
}

std::string_view cause_of_connect(int error) {
  if (error == ENOENT || error == ENOTDIR) return "missing";
  if (error == EACCES || error == EPERM) return "permission";
  return error == ECONNREFUSED ? "refused" : "closed";
}

Result<OwnedFd> connected(const std::string& socket) {
  auto made = connect_engine(socket);
  if (made.fd) return std::move(made.fd);
  const auto help = made.why.empty() ? std::string{} : "; " + made.why;
  return fail(Errc::engine_unreachable, "engine socket " + socket + ": " +
                                            std::string{cause_of_connect(made.os_error)} + " (" +
                                            std::strerror(made.os_error) + ")" + help);
}

}  // namespace

Error RawStream::closed(std::string_view why) const {
  return fail(Errc::engine_unreachable, "engine socket " + socket_ + ": closed (" + std::string{why} + ")");
}

Result<std::unique_ptr<RawStream>> RawStream::open(const std::string& socket, const std::string& target,
                                                   const std::string& body, std::string_view doing) {
  std::unique_ptr<RawStream> stream{new RawStream{TRY(connected(socket)), socket}};
  const auto request =
      "POST " + target +
      " HTTP/1.1\r\nHost: engine\r\nContent-Type: application/json\r\nConnection: Upgrade\r\n"
      "Upgrade: tcp\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  TRY(stream->write(request));
  TRY(stream->read_head(doing));
  return stream;
}

Status RawStream::read_head(std::string_view doing) {
  const auto until = Steady::now() + kBound;
  std::string head;
  std::size_t end = std::string::npos;
  while ((end = head.find("\r\n\r\n")) == std::string::npos) {
    const auto piece = TRY(read(left_of(until)));
    if (!piece) return closed("before it answered");
    if (piece->empty())
      return fail(Errc::timeout, "engine socket " + socket_ + ": no answer within the time bound");
    head += *piece;
    if (head.size() > kMostHead) return fail(Errc::too_large, "the engine's answer has no end of its head");
  }
  auto rest = head.substr(end + 4);
  head.resize(end);
  const int status = status_of(head);
  // 101 where it followed the upgrade, 200 where it just began to stream.
  if (status != 101 && status != 200) return refuse(head, std::move(rest), status, doing);
  early_ = std::move(rest);
  return {};
}

/// A refusal's body has a stated length, or ends with the connection; a short wait sees either.
Status RawStream::refuse(const std::string&, std::string body, int status, std::string_view doing) {
  while (body.size() < kMostHead && body.find('}') == std::string::npos) {
    const auto piece = read(milliseconds{500});
    if (!piece || !*piece || (*piece)->empty()) break;
    body += **piece;
  }
  if (const auto from = body.find('{'); from != std::string::npos)  // without a chunk's length around it
    body = body.substr(from, body.rfind('}') == std::string::npos ? body.size() : body.rfind('}') + 1 - from);
  return refusal({.status = status, .body = std::move(body)}, doing);
}

Result<std::optional<std::string>> RawStream::read(milliseconds wait) {
  if (!early_.empty()) return std::optional{std::exchange(early_, {})};
  if (!ready(fd_.get(), POLLIN, wait)) return std::optional{std::string{}};
  std::string bytes(kPiece, '\0');
  const auto got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
  if (got < 0) {
    if (errno == EINTR || errno == EAGAIN) return std::optional{std::string{}};
    return closed(std::strerror(errno));
  }
  if (got == 0) return std::optional<std::string>{};
  bytes.resize(static_cast<std::size_t>(got));
  return std::optional{std::move(bytes)};
}

Status RawStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // A process that does not read its input holds up whoever writes to it, but not for ever.
    if (!ready(fd_.get(), POLLOUT, kBound))
      return fail(Errc::timeout, "engine socket " + socket_ + ": it takes no more input");
    const auto sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return closed(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Status RawStream::close_input() {
  return ::shutdown(fd_.get(), SHUT_WR) == 0 ? Status{} : Status{closed(std::strerror(errno))};
}

}  // namespace berth::holder::engine
