#include <charconv>
#include <compare>

#include "holder/engine/http_engine.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"

namespace berth::holder::engine {
namespace {

struct ApiVersion {
  int major = 0, minor = 0;
  auto operator<=>(const ApiVersion&) const = default;
};

// What the conformance cases have run against: Docker 20.10 and Podman speak 1.41, Docker 26.1 speaks 1.45.
constexpr ApiVersion kOldest{1, 41};
constexpr ApiVersion kNewest{1, 45};
static_assert(kOldest <= kNewest);

std::string to_text(ApiVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor);
}

ApiVersion parse_api_version(std::string_view text) {
  ApiVersion version;
  const auto* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ptr != end && *major.ptr == '.') std::from_chars(major.ptr + 1, end, version.minor);
  return version;
}

Result<std::string> negotiate(const Version& engine) {
  const auto newest = parse_api_version(engine.info.api_version);
  const auto lowest = parse_api_version(engine.lowest_api_version);
  const auto chosen = std::min(newest, kNewest);
  if (chosen >= kOldest && chosen >= lowest) return to_text(chosen);
  return fail(Errc::engine_refused, engine.info.name + " " + engine.info.version + " speaks API " +
                                        engine.lowest_api_version + " to " + engine.info.api_version +
                                        ", berth " + to_text(kOldest) + " to " + to_text(kNewest));
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const std::string& socket, std::optional<Kind> kind,
                                             Seam& seam) {
  Transport transport{socket};
  const auto said = TRY(accepted(transport.read({.target = "/version"}), "version"));
  auto version = TRY(parse_version(said.body));
  version.info.api_version = TRY(negotiate(version));
  const auto facts =
      TRY(accepted(transport.read({.target = "/v" + version.info.api_version + "/info"}), "info"));
  version.info.id = TRY(parse_info(facts.body)).engine.id;
  if (kind) version.info.kind = *kind;
  if (version.info.kind == Kind::podman) return make_podman(socket, std::move(version.info), seam);
  return make_docker(socket, std::move(version.info), seam);
}

}  // namespace berth::holder::engine
