#include "base/json.h"
#include "holder/engine/event_lines.h"
#include "holder/engine/http_engine.h"
#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"
#include "holder/engine/utf8.h"

// pull: an answer of 200 may still end in an error, told in the stream.
namespace berth::holder::engine {
namespace {

/// A name, and the tag or digest the engine is to fetch of it; without one it would fetch every tag.
std::pair<std::string, std::string> name_and_tag(const std::string& reference) {
  if (const auto at = reference.find('@'); at != std::string::npos)
    return {reference.substr(0, at), reference.substr(at + 1)};
  const auto colon = reference.rfind(':');
  const bool is_port = colon != std::string::npos && reference.find('/', colon) != std::string::npos;
  if (colon == std::string::npos || is_port) return {reference, "latest"};
  return {reference.substr(0, colon), reference.substr(colon + 1)};
}

/// What the line of the progress says went wrong; empty for any other line.
std::string error_in(std::string_view line) {
  const auto progress = Json::parse(line, nullptr, false);
  return progress.is_object() ? valid_utf8(text_member(progress, "error")).substr(0, 1024) : std::string{};
}

}  // namespace

Status HttpEngine::pull(const std::string& reference) {
  TRY(url_image(reference));
  TRY(seam_.before("engine.pull", reference));
  const auto [name, tag] = name_and_tag(reference);
  std::string wrong;
  LineCutter cutter;
  const auto take = [&](std::string_view line) {
    if (auto error = error_in(line); !error.empty()) wrong = std::move(error);
  };
  const Transport::Stream stream{.target = versioned("/images/create" + url_query({{"fromImage", name}, {"tag", tag}})),
                                 .limit = std::nullopt,
                                 .sink =
                                     [&](std::string_view bytes) {
                                       cutter.feed(bytes, take);
                                       return true;
                                     },
                                 .method = "POST",
                                 .silence = kBound};
  const auto answer = accepted(transport_.stream(stream, {}), "pull " + reference);
  if (!answer) {
    auto error = answer.error();
    if (error.code == Errc::not_found) error.code = Errc::engine_refused;  // the registry has none: no container of ours
    return error;
  }
  if (!cutter.rest().empty()) take(cutter.rest());
  if (wrong.empty()) return {};
  auto error = fail(Errc::engine_refused, "pull " + reference + ": the engine answered: " + wrong);
  error.engine_message = wrong;
  return error;
}

}  // namespace berth::holder::engine
