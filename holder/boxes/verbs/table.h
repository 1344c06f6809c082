#pragma once
#include <chrono>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/boxes/config.h"
#include "holder/boxes/runtime.h"
#include "holder/policy/grants.h"

namespace berth::holder::boxes::verbs {

using policy::VerbClass;

/// What one call has to work with. One thread, as long as the call.
struct BoxSession {
  Runtime& runtime;
  const BoxesConfig& config;
  std::stop_token stop;  // the holder ends
};

/// One row a method of the box runtime, as it is served on /run/berth/boxes.sock. The dispatcher and
/// docs/box-verbs.md are made from these.
struct BoxVerbRow {
  std::string_view name;  // "box.ensure"
  VerbClass verb_class;
  /// Null for `box.spawn`, which is an upgrade and not an answer.
  Result<Json> (*run)(BoxSession& session, const Json& params);
  std::string_view params, summary;
};

std::span<const BoxVerbRow> box_verb_table();
const BoxVerbRow* find_box_verb(std::string_view name);

/// docs/box-verbs.md.
std::string box_verbs_page();

/// What `box.run` and `box.spawn` take in common.
struct ProcessArgs {
  Place place;
  Command command;
  RunBounds bounds;
  std::optional<Terminal> terminal;
};
Result<ProcessArgs> parse_run(const Json& params);
Result<ProcessArgs> parse_spawn(const Json& params);

// One function a row, in the file of its noun.
Result<Json> create_storage(BoxSession& session, const Json& params);
Result<Json> missing_storage(BoxSession& session, const Json& params);
Result<Json> remove_storage(BoxSession& session, const Json& params);
Result<Json> ensure(BoxSession& session, const Json& params);
Result<Json> start(BoxSession& session, const Json& params);
Result<Json> stop(BoxSession& session, const Json& params);
Result<Json> remove(BoxSession& session, const Json& params);
Result<Json> state(BoxSession& session, const Json& params);
Result<Json> ensure_isolation(BoxSession& session, const Json& params);
Result<Json> isolated(BoxSession& session, const Json& params);
Result<Json> proxy_url(BoxSession& session, const Json& params);
Result<Json> run(BoxSession& session, const Json& params);
Result<Json> image_of(BoxSession& session, const Json& params);
Result<Json> ensure_image(BoxSession& session, const Json& params);
Result<Json> refresh_image(BoxSession& session, const Json& params);
Result<Json> inventory(BoxSession& session, const Json& params);
Result<Json> remove_object(BoxSession& session, const Json& params);
Result<Json> start_login(BoxSession& session, const Json& params);
Result<Json> prepare(BoxSession& session, const Json& params);
Result<Json> details(BoxSession& session, const Json& params);
Result<Json> health(BoxSession& session, const Json& params);
Result<Json> deployment_images(BoxSession& session, const Json& params);

}  // namespace berth::holder::boxes::verbs
