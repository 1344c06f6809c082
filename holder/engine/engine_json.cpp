#include "base/json.h"
#include "holder/engine/parse.h"
#include "holder/engine/utf8.h"

namespace berth::holder::engine {

Result<Json> engine_json(std::string_view body, std::string_view what) {
  auto document = Json::parse(body, nullptr, false);
  if (document.is_discarded()) document = Json::parse(valid_utf8(body), nullptr, false);
  if (!document.is_discarded()) return document;
  return fail(Errc::engine_refused, std::string{what} + ": the engine's answer is no JSON, or ends early");
}

}  // namespace berth::holder::engine
