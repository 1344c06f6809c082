#include "migrate/pushing.h"

#include "base/fields.h"

namespace berth::migrate {
namespace {

bool has_ended(const std::string& state) {
  return state == "applied" || state == "failed" || state == "refused";
}

/// "docker.daemon: the engine refused …": the resources that failed, from a report, or why the apply did not come to
/// any.
std::string failures_of(const Json& report) {
  std::string text;
  if (!report.is_object()) return text;
  for (const auto& resource : report.value("resources", Json::array())) {
    if (resource.value("action", "") != "failed") continue;
    text += (text.empty() ? "" : "; ") + resource.value("id", "") + ": " + resource.value("detail", "");
  }
  return text.empty() ? report.value("cause", "no reason given") : text;
}

Status keep(Scene& scene, std::string_view push_id, const Json& said) {
  const auto report = said.value("report", Json{});
  return scene.books.with([&](Books& books) {
    return push_moved(books.store, push_id, said.at("state").get<std::string>(),
                      report.is_null() ? "" : report.dump());
  });
}

Result<Json> wait_for_end(Scene& scene, int step, const SentPush& push) {
  const auto deadline = std::chrono::steady_clock::now() + scene.waits.push;
  std::optional<Error> silence;
  for (int look = 0; std::chrono::steady_clock::now() < deadline; ++look) {
    auto said = ask_push(scene, push.machine, push.push_id);
    if (!said && !is_silence(said.error())) return said;
    if (said && has_ended(said->at("state").get<std::string>())) return said;
    if (!said) silence = said.error();
    scene.says(step, push.machine, said ? "waits for the push to end" : "waits for the machine to answer");
    if (!scene.pause(look))
      return fail(Errc::timeout, "stopped while push " + push.push_id + " was on its way on " + push.machine);
  }
  return silence ? *silence
                 : fail(Errc::timeout, "push " + push.push_id + " has not ended on " + push.machine);
}

}  // namespace

Result<Json> ask_push(Scene& scene, std::string_view machine, std::string_view push_id) {
  auto said = TRY(scene.ask(machine, {{"what", "push"}, {"push_id", push_id}}));
  if (!said.value("state", Json{}).is_string())
    return fail(Errc::failed,
                std::string{machine} + " does not say what came of push " + std::string{push_id});
  return said;
}

namespace {

Result<SentPush> row_of(Scene& scene, const std::string& push_id) {
  const auto row = TRY(scene.books.with([&](Books& books) { return sent_push(books.store, push_id); }));
  if (!row) return fail(Errc::failed, "push " + push_id + " is not in the operator's store");
  return *row;
}

/// Keeps an ended push's answer; an error unless it was applied.
Result<Json> settled(Scene& scene, const SentPush& push, const Json& said) {
  TRY(keep(scene, push.push_id, said));
  if (said["state"] == "applied") return said;
  return fail(Errc::failed, push.machine + ": push " + push.push_id + " was " +
                                said["state"].get<std::string>() + ": " +
                                failures_of(said.value("report", Json{})));
}

}  // namespace

Result<std::string> send_push(Scene& scene, int step, const std::string& push_id) {
  const auto row = TRY(row_of(scene, push_id));
  const auto said = TRY(ask_push(scene, row.machine, push_id));
  if (said["state"] != "unknown") return said["state"].get<std::string>();
  auto document = TRY(parse_json(row.body, "push " + push_id));
  document["token"] = scene.lease.token;
  document["runner"] = scene.lease.runner;
  scene.says(step, row.machine, "push");
  if (const auto sent = scene.port.push(row.machine, document); !sent) {
    if (!is_silence(sent.error())) TRY(keep(scene, push_id, {{"state", "refused"}}));
    return sent.error();
  }
  TRY(keep(scene, push_id, {{"state", "accepted"}}));
  return std::string{"accepted"};
}

Status push_ended(Scene& scene, const std::string& push_id) {
  const auto row = TRY(row_of(scene, push_id));
  TRY(settled(scene, row, TRY(ask_push(scene, row.machine, push_id))));
  return {};
}

Result<Json> carry_push(Scene& scene, int step, const std::string& push_id) {
  TRY(send_push(scene, step, push_id));
  const auto row = TRY(row_of(scene, push_id));
  return settled(scene, row, TRY(wait_for_end(scene, step, row)));
}

Intended intended_push(const Json& document) {
  return {document.at("push_id").get<std::string>(),   document.at("machine").get<std::string>(),
          document.at("kind").get<std::string>(),      document.dump(),
          document.at("sequence").get<std::int64_t>(), document.at("token").get<std::int64_t>()};
}

catalogue::PushOrder order_for(const Scene& scene, std::string_view machine, std::string_view push_id,
                               const Json& status) {
  catalogue::PushOrder order;
  order.machine = machine;
  order.push_id = push_id;
  order.token = scene.lease.token;
  order.runner = scene.lease.runner;
  order.sequence = status.value("sequence", std::int64_t{0}) + 1;
  return order;
}

}  // namespace berth::migrate
