#include "holder/engine/box_calls.h"

#include "holder/engine/json_get.h"
#include "holder/engine/parse.h"
#include "holder/engine/refusal.h"
#include "holder/engine/url.h"

// Processes in containers, and where a volume lies.
namespace berth::holder::engine {

BoxCalls::BoxCalls(std::unique_ptr<Engine> engine, Seam& seam)
    : engine_(std::move(engine)), seam_(seam), transport_(engine_->socket()) {}

Result<std::unique_ptr<BoxCalls>> BoxCalls::open(const std::string& socket, std::optional<Kind> kind,
                                                 Seam& seam) {
  return std::make_unique<BoxCalls>(TRY(Engine::open(socket, kind, seam)), seam);
}

std::string BoxCalls::at(const std::string& path) const { return "/v" + engine_->info().api_version + path; }

Result<Json> BoxCalls::get(const std::string& path, const std::string& doing) {
  const auto answer = TRY(accepted(transport_.read({.target = at(path)}), doing));
  return engine_json(answer.body, doing);
}

Result<Answer> BoxCalls::act(const char* name, const Call& call, const std::string& target) {
  TRY(seam_.before(name, target));
  return transport_.change(call);
}

Result<std::string> BoxCalls::exec_create(const std::string& container, const ExecSpec& spec) {
  Json body = {{"AttachStdin", true},  {"AttachStdout", true}, {"AttachStderr", true},
               {"Tty", spec.terminal}, {"Cmd", spec.argv},     {"Env", Json::array()}};
  for (const auto& [name, value] : spec.environment) body["Env"].push_back(name + "=" + value);
  if (!spec.user.empty()) body["User"] = spec.user;
  if (!spec.dir.empty()) body["WorkingDir"] = spec.dir;
  const Call call{.method = "POST",
                  .target = at("/containers/" + url_segment(container) + "/exec"),
                  .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
  const auto answer =
      TRY(accepted(act("engine.exec_create", call, container), "make a process in " + container));
  const auto id = text_member(TRY(engine_json(answer.body, "exec")), "Id");
  if (id.empty()) return fail(Errc::engine_refused, "exec: the engine's answer has no Id");
  return id;
}

Result<std::unique_ptr<RawStream>> BoxCalls::exec_start(const std::string& exec, bool terminal) {
  TRY(seam_.before("engine.exec_start", exec));
  const Json body = {{"Detach", false}, {"Tty", terminal}};
  return RawStream::open(engine_->socket(), at("/exec/" + url_segment(exec) + "/start"), body.dump(),
                         "start a process");
}

Result<ExecState> BoxCalls::exec_state(const std::string& exec) {
  const auto document = TRY(get("/exec/" + url_segment(exec) + "/json", "exec"));
  return ExecState{bool_member(document, "Running"),
                   static_cast<int>(maybe_number(document, "ExitCode").value_or(-1))};
}

Status BoxCalls::exec_resize(const std::string& exec, int columns, int rows) {
  const auto query = url_query({{"h", std::to_string(rows)}, {"w", std::to_string(columns)}});
  const Call call{.method = "POST", .target = at("/exec/" + url_segment(exec) + "/resize" + query)};
  TRY(accepted(act("engine.exec_resize", call, exec), "resize a terminal"));
  return {};
}

Status BoxCalls::remove_volume(const std::string& name) {
  const Call call{.method = "DELETE", .target = at("/volumes/" + url_segment(name))};
  const auto answer = TRY(act("engine.volume_remove", call, name));
  if (answer.ok() || answer.status == 404) return {};
  return refusal(answer, "remove volume " + name);
}

Result<std::string> BoxCalls::volume_path(const std::string& name) {
  auto path = text_member(TRY(get("/volumes/" + url_segment(name), "volume " + name)), "Mountpoint");
  if (!path.starts_with('/'))
    return fail(Errc::engine_refused, "volume " + name + ": the engine says no path of it");
  return path;
}

}  // namespace berth::holder::engine
