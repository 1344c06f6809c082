#include "holder/boxes/verbs/box_args.h"

// Storage, lifecycle, isolation.
namespace berth::holder::boxes::verbs {
namespace {

std::string_view to_text(State state) {
  if (state == State::unknown) return "unknown";
  return state == State::running ? "running" : "stopped";
}

Json done(const BoxId& box) { return {{"box", box.text()}}; }
Json with_state(BoxSession& session, const BoxId& box) {
  return {{"box", box.text()}, {"state", to_text(session.runtime.state(box))}};
}

}  // namespace

Result<Json> create_storage(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.create_storage(box));
  return done(box);
}

Result<Json> missing_storage(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  const auto missing = TRY(session.runtime.missing_storage(box));
  return Json{{"box", box.text()}, {"missing", missing}};
}

Result<Json> remove_storage(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.remove_storage(box));
  return done(box);
}

Result<Json> ensure(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.ensure(box, session.config.spec()));
  return with_state(session, box);
}

Result<Json> start(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.start(box, session.config.spec()));
  return with_state(session, box);
}

Result<Json> stop(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.stop(box));
  return with_state(session, box);
}

Result<Json> remove(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.remove(box));
  return done(box);
}

Result<Json> state(BoxSession& session, const Json& params) {
  return with_state(session, TRY(only_box(params)));
}

Result<Json> ensure_isolation(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  TRY(session.runtime.ensure_isolation(box));
  return done(box);
}

Result<Json> isolated(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  const bool whole = TRY(session.runtime.isolated(box));
  return Json{{"box", box.text()}, {"isolated", whole}};
}

Result<Json> proxy_url(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  const auto url = TRY(session.runtime.proxy_url(box));
  return Json{{"box", box.text()}, {"proxy_url", url}};
}

}  // namespace berth::holder::boxes::verbs
