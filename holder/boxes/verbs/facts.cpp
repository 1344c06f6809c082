#include "holder/boxes/verbs/box_args.h"

// Images, inventory, logins, facts.
namespace berth::holder::boxes::verbs {

Result<Json> image_of(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  const auto image = TRY(session.runtime.image_of(box));
  return Json{{"box", box.text()}, {"image_id", image}};
}

Result<Json> ensure_image(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  TRY(session.runtime.ensure_image());
  return Json{{"image", session.config.image}};
}

Result<Json> refresh_image(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  const bool newer = TRY(session.runtime.refresh_image());
  return Json{{"image", session.config.image}, {"newer", newer}};
}

Result<Json> inventory(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  Json list = Json::array();
  for (const auto& object : TRY(session.runtime.inventory()))
    list.push_back({{"kind", object.kind},
                    {"name", object.name},
                    {"box", object.box.empty() ? Json() : Json(object.box)}});
  return Json{{"objects", std::move(list)}};
}

Result<Json> remove_object(BoxSession& session, const Json& params) {
  Fields fields{params, ""};
  const Object object{fields.text("kind"), fields.text("name"), {}};
  TRY(fields.finish());
  TRY(session.runtime.remove_object(object));
  return Json{{"kind", object.kind}, {"name", object.name}};
}

Result<Json> start_login(BoxSession& session, const Json& params) {
  Fields fields{params, ""};
  const auto text = fields.text("login");
  TRY(fields.finish());
  const auto login = TRY(LoginId::parse(text));
  TRY(session.runtime.start_login(login));
  return Json{{"login", login.text()}};
}

Result<Json> prepare(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  TRY(session.runtime.prepare());
  return Json::object();
}

Result<Json> details(BoxSession& session, const Json& params) {
  const auto box = TRY(only_box(params));
  const auto facts = TRY(session.runtime.details(box));
  return Json{{"box", box.text()}, {"details", facts}};
}

Result<Json> health(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  const auto health = session.runtime.health();
  return Json{{"answering", health.answering},
              {"proxy_ready", health.proxy_ready},
              {"cause", health.cause.empty() ? Json() : Json(health.cause)}};
}

Result<Json> deployment_images(BoxSession& session, const Json& params) {
  TRY(nothing(params));
  const auto images = TRY(session.runtime.deployment_images());
  return Json{{"images", images}};
}

}  // namespace berth::holder::boxes::verbs
