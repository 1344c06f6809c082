#include "holder/boxes/kubernetes/credentials.h"

#include <cstdlib>

#include "base/file.h"

namespace berth::holder::boxes::kubernetes {
namespace {

constexpr std::chrono::seconds kReadAgain{60};

std::string stripped(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

}  // namespace

Result<Credentials> Credentials::in_cluster(const std::filesystem::path& folder) {
  const auto host = variable("KUBERNETES_SERVICE_HOST");
  const auto port = variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty())
    return fail(Errc::bad_request,
                "boxes.kubeconfig is not set, and this is no pod: KUBERNETES_SERVICE_HOST is not set either");
  Credentials found;
  found.server = "https://" + (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
  found.ca_pem = TRY(read_file(folder / "ca.crt"));
  found.token_file = folder / "token";
  TRY(read_file(found.token_file));
  if (const auto name = read_file(folder / "namespace")) found.name_space = stripped(*name);
  return found;
}

Result<std::string> Token::text() {
  const auto now = now_.with([](const auto& read) { return read; });
  const auto age = std::chrono::steady_clock::now() - now.at;
  if (file_.empty() || (!now.text.empty() && age < kReadAgain)) return now.text;
  auto read = read_file(file_, std::size_t{1} << 16);
  // Between two versions of it, the one before serves.
  if (!read) return now.text.empty() ? Result<std::string>{read.error()} : Result<std::string>{now.text};
  const auto text = stripped(*read);
  now_.with([&](auto& kept) { kept = {text, std::chrono::steady_clock::now()}; });
  return text;
}

bool Token::renew() {
  now_.with([](auto& read) { read.at = {}; });
  return !file_.empty();
}

}  // namespace berth::holder::boxes::kubernetes
