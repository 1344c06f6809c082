#include "host/path/cli/read.h"

#include <algorithm>
#include <sstream>

#include "base/clock.h"
#include "base/fields.h"
#include "base/json.h"
#include "host/path/cli/run.h"

namespace berth::host::path::cli {
namespace {

// An argument list is bounded by the kernel; 200 full ids are 13 kB.
constexpr std::size_t kIdsAtOnce = 200;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

const Json& member(const Json& object, const char* key) {
  static const Json none;
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? *at : none;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string{};
}

/// What `inspect` answers for these ids; one that went meanwhile is left out of its list.
Result<Json> inspect(const Arguments& ids, Seam& seam) {
  Arguments arguments{"inspect", "--type", "container", "--"};
  arguments.insert(arguments.end(), ids.begin(), ids.end());
  const auto said = TRY(docker_said(arguments, kCallBound, seam));
  auto failure = refusal(arguments, said);
  if (said.exit_status != 0 && failure.code != Errc::not_found) return failure;
  auto answer = TRY(parse_json(said.out.empty() ? "[]" : said.out, "the answer of docker inspect"));
  if (!answer.is_array()) return fail(Errc::engine_refused, "docker inspect answered no list");
  return answer;
}

}  // namespace

Seen seen_of(const Json& inspected) {
  const auto& state = member(inspected, "State");
  Seen seen;
  seen.id = text_of(member(inspected, "Id"));
  seen.name = text_of(member(inspected, "Name"));
  if (seen.name.starts_with('/')) seen.name.erase(0, 1);
  seen.image = text_of(member(member(inspected, "Config"), "Image"));
  seen.state = text_of(member(state, "Status"));
  seen.assignment = text_of(member(member(member(inspected, "Config"), "Labels"), "mesh-host.id"));
  seen.pid = member(state, "Pid").is_number_integer() ? state["Pid"].get<std::int64_t>() : 0;
  const auto started = text_of(member(state, "StartedAt"));
  if (const auto at = parse_rfc3339(started); at && !started.starts_with("0001-"))
    seen.started_at = to_rfc3339(*at);
  const auto& restarts = member(inspected, "RestartCount");
  seen.restarts = restarts.is_number_integer() ? restarts.get<std::int64_t>() : 0;
  return seen;
}

EngineView engine_of(const Json& info) {
  EngineView view;
  view.name = "Docker Engine";
  view.version = text_of(member(info, "ServerVersion"));
  view.live_restore = member(info, "LiveRestoreEnabled") == Json(true);
  view.logging_driver = text_of(member(info, "LoggingDriver"));
  const auto& registries = member(info, "RegistryConfig");
  for (const auto& [name, index] : member(registries, "IndexConfigs").items()) {
    if (member(index, "Secure") == Json(false)) view.insecure_registries.push_back(name);
  }
  for (const auto& cidr : member(registries, "InsecureRegistryCIDRs")) {
    const auto text = text_of(cidr);
    if (text != "127.0.0.0/8" && text != "::1/128") view.insecure_registries.push_back(text);
  }
  std::ranges::sort(view.insecure_registries);
  return view;
}

Result<std::vector<Seen>> read_list(Seam& seam) {
  const auto ids = lines_of(TRY(docker({"ps", "--all", "--quiet", "--no-trunc"}, kCallBound, seam)));
  std::vector<Seen> all;
  for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
    const auto last = std::min(ids.size(), at + kIdsAtOnce);
    const auto some = TRY(inspect(
        {ids.begin() + static_cast<std::ptrdiff_t>(at), ids.begin() + static_cast<std::ptrdiff_t>(last)},
        seam));
    for (const auto& one : some) all.push_back(seen_of(one));
  }
  return all;
}

Result<Json> read_one(const std::string& container, Seam& seam) {
  auto answer = TRY(inspect({container}, seam));
  if (answer.empty()) return fail_field(Errc::not_found, "container", "no container " + container);
  return std::move(answer[0]);
}

Result<EngineView> read_engine(Seam& seam) {
  const Arguments arguments{"info", "--format", "{{json .}}"};
  const auto said = TRY(docker_said(arguments, kCallBound, seam));
  // With the daemon away some versions print their own half of the document and exit 0.
  const auto info = parse_json(said.out, "the answer of docker info");
  if (info && !member(*info, "ServerErrors").empty()) {
    return fail(Errc::engine_unreachable, "docker info: " + member(*info, "ServerErrors").dump());
  }
  if (said.exit_status != 0) return refusal(arguments, said);
  if (!info) return info.error();
  return engine_of(*info);
}

Result<bool> read_reload(Time since, Time now, Seam& seam) {
  const auto seen =
      TRY(docker({"events", "--since", to_rfc3339(since), "--until", to_rfc3339(now), "--filter",
                  "type=daemon", "--filter", "event=reload", "--format", "{{json .}}"},
                 kCallBound, seam));
  return !lines_of(seen).empty();
}

}  // namespace berth::host::path::cli
