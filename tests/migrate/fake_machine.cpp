#include "tests/migrate/fake_machine.h"

#include <algorithm>

#include "base/hash.h"

namespace berth::test {
namespace {

const char* const kProbe = "berth-probe-0123abcd";
const char* const kAt = "2026-01-02T03:04:05.000000000Z";
const std::vector<std::string> kVerbs{"list", "inspect", "logs",   "stats", "start",
                                      "stop", "restart", "create", "remove"};

Json container(const std::string& machine, const std::string& name, const Json& assignment, int pid) {
  return {
      {"id", sha256_hex(machine + name)}, {"name", name}, {"image", "berth-practice:1"}, {"state", "running"},
      {"assignment", assignment},         {"pid", pid},   {"started_at", kAt},           {"restarts", 0}};
}

Json record(const std::string& id, const std::string& type, const Json& declared) {
  const auto dot = id.find('.');
  const bool carried = dot == std::string::npos;
  return {{"id", id},
          {"module", carried ? Json{} : Json(id.substr(0, dot))},
          {"type", type},
          {"origin", carried ? "carried" : "declared"},
          {"state", "applied"},
          {"declared", declared},
          {"found", Json::object()},
          {"applied", Json::object()},
          {"push_id", nullptr},
          {"updated_at", kAt}};
}

bool writes_engine_file(const Json& resource) {
  return resource.value("type", "") == "json" && resource.value("path", "") == "/etc/docker/daemon.json";
}

Json engine_json(const std::string& text) {
  const auto parsed = Json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : Json::object();
}

}  // namespace

FakeMachine::FakeMachine(std::string name, std::string id, Json file)
    : machine_id(std::move(id)), name_(std::move(name)) {
  file_text = file.is_null() ? "" : file.dump(2) + "\n";
  containers_ = {container(name_, "web", "web", 101), container(name_, "devbox", nullptr, 102)};
  if (name_ == "alder") {
    records_ = {record("container-runtime", "package",
                       {{"id", "container-runtime"}, {"type", "package"}, {"name", "docker.io"}})};
    containers_.push_back(container(name_, "broker", "broker", 103));
  }
  if (name_ == "birch") {
    records_ = {record("dnsmasq.daemon", "json",
                       {{"id", "daemon"},
                        {"type", "json"},
                        {"path", "/etc/docker/daemon.json"},
                        {"into", {{"live-restore", true}}}}),
                record("dnsmasq.runtime", "service",
                       {{"id", "runtime"}, {"type", "service"}, {"unit", "docker.service"}})};
  }
  records_.push_back(record(
      "web.page", "container",
      {{"id", "page"}, {"type", "container"}, {"spec", {{"name", "web"}, {"image", "berth-practice:1"}}}}));
}

std::string FakeMachine::path() const {
  if (version_ == "1.0.0") return "cli";
  return holder_answers ? "holder" : "none";
}

Json FakeMachine::status() const {
  return {{"machine", answers_as.empty() ? name_ : answers_as},
          {"machine_id", machine_id},
          {"fleet", "mesh"},
          {"store", "00000000"},
          {"host_version", version_},
          {"cli_path", version_ == "1.2.0" ? "absent" : "present"},
          {"holder_path", "present"},
          {"latched", version_ != "1.0.0"},
          {"token", token_},
          {"sequence", sequence_},
          {"release",
           {{"version", version_},
            {"trial", previous_.empty() ? Json{}
                                        : Json{{"version", version_},
                                               {"previous", previous_},
                                               {"deadline", kAt},
                                               {"state", on_trial ? "waiting" : "done"}}}}},
          {"started_at", kAt}};
}

Json FakeMachine::seat() const {
  if (!holder_there_ || !holder_answers)
    return {{"answering", false},
            {"cause", "connect /run/berth/holder.sock: connection refused"},
            {"seat", nullptr}};
  Json verbs = Json::array();
  for (const auto& verb : kVerbs) {
    if (std::ranges::find(lacking_verbs, verb) == lacking_verbs.end()) verbs.push_back(verb);
  }
  const Json engine = {{"kind", "docker"},      {"name", "Docker Engine"},      {"version", "20.10.24"},
                       {"api_version", "1.41"}, {"socket", "/run/docker.sock"}, {"answering", true}};
  return {{"answering", true},
          {"cause", ""},
          {"seat",
           {{"machine", name_},
            {"seat", "node-container-runtime"},
            {"module", held_ ? Json("docker") : Json{}},
            {"held", held_},
            {"engine", engine},
            {"verbs", verbs},
            {"tools", Json::array()},
            {"events", {"created", "started", "stopped", "died", "removed", "health"}},
            {"version", "1.1.0"},
            {"store", "11111111"}}}};
}

Json FakeMachine::keys_of(const std::string& text, const Json& records) const {
  const auto file = engine_json(text);
  Json keys = Json::array();
  for (const auto& [key, value] : file.items()) {
    std::string owner = "hand";
    for (const auto& r : records) {
      if (writes_engine_file(r["declared"]) && r["declared"]["into"].contains(key)) owner = r["id"];
    }
    keys.push_back({{"key", key}, {"value", value}, {"owner", owner}});
  }
  return keys;
}

Json FakeMachine::pushes() const {
  std::vector<Json> rows;
  for (const auto& [id, push] : pushes_) {
    const auto& document = push.document;
    rows.push_back({{"push_id", id},
                    {"kind", document["kind"]},
                    {"sequence", document["sequence"]},
                    {"token", document["token"]},
                    {"state", push.state},
                    {"restores", document.value("restores", Json{})},
                    {"seat_held", document.contains("seat") ? document["seat"]["held"] : Json{}},
                    {"accepted_at", kAt},
                    {"ended_at", kAt}});
  }
  std::ranges::sort(rows, std::ranges::greater{}, [](const Json& row) { return row["sequence"].get<std::int64_t>(); });
  if (is_between) rows.at(0)["state"] = "accepted";
  return {{"pushes", rows}};
}

Result<Json> FakeMachine::before(const std::string& push_id) const {
  const auto at = pushes_.find(push_id);
  if (at == pushes_.end()) return fail_field(Errc::not_found, "push_id", "no push " + push_id + " was accepted here");
  const auto file = [](const std::string& text) {
    return Json{{"path", "/etc/docker/daemon.json"}, {"exists", !text.empty()}, {"text", text}, {"sha256", sha256_hex(text)}};
  };
  const auto& was = at->second.was;
  return Json{{"push_id", push_id},     {"known", true}, {"file", file(was.file)}, {"after", file(at->second.file_after)},
              {"records", was.records}, {"keys", keys_of(was.file, was.records)}};
}

Json FakeMachine::snapshot() const {
  const auto file = engine_json(file_text);
  const auto keys = keys_of(file_text, records_);
  return {
      {"machine", name_},
      {"machine_id", machine_id},
      {"taken_at", kAt},
      {"file",
       {{"path", "/etc/docker/daemon.json"},
        {"target", nullptr},
        {"exists", !file_text.empty()},
        {"text", file_text},
        {"mode", "0644"},
        {"owner", "root:root"},
        {"sha256", sha256_hex(file_text)}}},
      {"flags",
       {{"sources", Json::array()}, {"flags", Json::object()}, {"sha256", canonical_hash(Json::object())}}},
      {"unit",
       {{"name", "docker.service"},
        {"text", "[Unit]\n"},
        {"sha256", sha256_hex("[Unit]\n")},
        {"active", "active"},
        {"enabled", "enabled"},
        {"drop_ins", Json::array()}}},
      {"engine",
       {{"id", engine_id},
        {"name", "Docker Engine"},
        {"version", "20.10.24"},
        {"live_restore", file.value("live-restore", false)},
        {"insecure_registries", file.value("insecure-registries", Json::array())},
        {"logging_driver", "json-file"}}},
      {"packages", Json::object()},
      {"units", Json::object()},
      {"containers", containers_},
      {"keys", keys},
      {"records", records_}};
}

/// Lists are added to, everything else is replaced; what is given back goes.
std::string FakeMachine::planned(const Json& push) const {
  auto file = engine_json(file_text);
  for (const auto& r : records_) {
    const bool goes = std::ranges::find(push["give_back"], r["id"]) != push["give_back"].end();
    if (!goes || !writes_engine_file(r["declared"])) continue;
    for (const auto& [key, value] : r["declared"]["into"].items()) file.erase(key);
  }
  for (const auto& module : push["declaration"]["modules"]) {
    for (const auto& resource : module["resources"]) {
      if (!writes_engine_file(resource)) continue;
      for (const auto& [key, value] : resource["into"].items()) {
        if (!value.is_array()) file[key] = value;
        if (!value.is_array()) continue;
        if (!file.contains(key)) file[key] = Json::array();
        for (const auto& item : value) {
          if (std::ranges::find(file[key], item) == file[key].end()) file[key].push_back(item);
        }
      }
    }
  }
  return file.dump(2) + "\n";
}

Json FakeMachine::report(const std::string& result, const std::string& push_id) {
  ++seq_;
  Json made = {{"machine", name_},
               {"store", "00000000"},
               {"seq", seq_},
               {"push_id", push_id.empty() ? Json{} : Json(push_id)},
               {"at", kAt},
               {"result", result},
               {"path", path()},
               {"seat",
                {{"name", "node-container-runtime"},
                 {"held", held_},
                 {"module", held_ ? Json("docker") : Json{}},
                 {"answering", holder_answers},
                 {"socket", ""},
                 {"cause", ""}}},
               {"resources", Json::array()},
               {"host_version", version_},
               {"cli_path", version_ == "1.2.0" ? "absent" : "present"},
               {"duration_ms", 1}};
  reports.push_back({++*sequences, made.dump()});
  return made;
}

void FakeMachine::report_path(const std::string& path) {
  auto made = report("unchanged", "");
  made["path"] = path;
  reports.back().text = made.dump();
}

void FakeMachine::apply(Push& push) {
  const auto& document = push.document;
  push.was = {file_text, records_};
  push.before = containers_;
  if (document["kind"] == "hand_over" && push_fails) {
    push_fails = false;
    push.state = "failed";
    push.after = containers_;
    push.report = report("failed", document["push_id"]);
    push.report["resources"] = {{{"id", "docker.daemon"},
                                 {"action", "failed"},
                                 {"detail", "the engine refused the file; given back"}}};
    return;
  }
  if (document["kind"] == "back_out") {
    const auto& undone = pushes_.at(document["restores"].get<std::string>());
    file_text = undone.was.file;
    records_ = undone.was.records;
    holder_there_ = false;
  } else {
    file_text = planned(document);
    std::erase_if(records_.get_ref<Json::array_t&>(), [&](const Json& r) {
      return std::ranges::find(document["give_back"], r["id"]) != document["give_back"].end();
    });
    for (const auto& module : document["declaration"]["modules"]) {
      for (const auto& resource : module["resources"]) {
        const auto id = module["name"].get<std::string>() + "." + resource["id"].get<std::string>();
        if (resource["type"] == "process") holder_there_ = true;
        const auto at = std::ranges::find_if(records_, [&](const Json& r) { return r["id"] == id; });
        if (at == records_.end())
          records_.push_back(record(id, resource["type"], resource));
        else
          (*at)["declared"] = resource;
      }
    }
  }
  const bool was_held = held_;
  if (document.contains("seat")) held_ = document["seat"]["held"].get<bool>();
  if (restarts_a_container) containers_[0]["pid"] = 999;
  push.after = containers_;
  push.file_after = file_text;
  push.state = "applied";
  const bool changed = file_text != push.was.file || records_ != push.was.records || held_ != was_held;
  push.report = report(changed ? "converged" : "unchanged", document["push_id"]);
}

Result<Json> FakeMachine::take(const Json& document) {
  const auto id = document["push_id"].get<std::string>();
  const Json answer = {{"push_id", id}, {"accepted", true}, {"sequence", document["sequence"]}};
  if (pushes_.contains(id)) return answer;
  if (document["machine_id"] != machine_id) return fail(Errc::drift, "this is another machine");
  if (document["token"].get<std::int64_t>() < token_)
    return fail(Errc::stale,
                "token " + document["token"].dump() + " is older than " + std::to_string(token_));
  if (document["sequence"].get<std::int64_t>() <= sequence_)
    return fail(Errc::stale, "sequence " + document["sequence"].dump() + " is not newer than " +
                                 std::to_string(sequence_));
  if (document.contains("expect") && document["expect"]["file"] != sha256_hex(file_text))
    return fail(Errc::drift, "the engine's file has changed");
  token_ = document["token"];
  sequence_ = document["sequence"];
  auto& push = pushes_[id];
  push.document = document;
  apply(push);
  return answer;
}

Json FakeMachine::probe() {
  const auto id = sha256_hex(name_ + std::to_string(++seq_));
  if (held_ && holder_answers) {
    for (const auto* kind : {"created", "removed"}) {
      const auto event = name_ + ":11111111:" + std::to_string(++seq_);
      events.push_back({++*sequences, Json{{"id", event},
                                           {"machine", name_},
                                           {"kind", kind},
                                           {"at", kAt},
                                           {"container", id},
                                           {"name", kProbe},
                                           {"image", "i"},
                                           {"mesh_held", false},
                                           {"assignment", nullptr},
                                           {"inferred", false}}
                                          .dump()});
    }
  }
  return {{"path", path()}, {"id", id}, {"name", kProbe}, {"image", "berth-practice:1"}};
}

void FakeMachine::run_version(const std::string& version) {
  version_ = version;
  report("unchanged", "");
}

Result<Json> FakeMachine::release(const Json& request) {
  token_ = std::max(token_, request["token"].get<std::int64_t>());
  if (request["action"] == "back") {
    run_version(request["version"]);
    return Json{{"accepted", true}, {"version", version_}, {"previous", previous_}};
  }
  if (release_fails) return fail(Errc::failed, "the new host did not start and was switched back");
  previous_ = version_;
  run_version(request["version"]);
  return Json{{"accepted", true}, {"version", version_}, {"previous", previous_}};
}

Result<Json> FakeMachine::answer(const Json& request) {
  const auto what = request["what"].get<std::string>();
  if (what == "status") return status();
  if (what == "seat") return seat();
  if (what == "snapshot" && !engine_answers)
    return fail(Errc::engine_unreachable, "/run/docker.sock: connection refused");
  if (what == "snapshot") return snapshot();
  if (what == "records") return Json{{"records", records_}};
  if (what == "probe") return probe();
  if (what == "pushes" && tells_its_past) return pushes();
  if (what == "before" && tells_its_past) return before(request["push_id"]);
  if (what == "pushes") return fail_field(Errc::bad_request, "what", "what must be one of status, seat, snapshot");
  if (what == "release") return release(request);
  if (what == "confirm") return Json{{"push_id", request["push_id"]}, {"confirmed", true}};
  if (what == "plan") {
    if (!file_text.empty() && Json::parse(file_text, nullptr, false).is_discarded()) {
      return fail(Errc::unparsable, "/etc/docker/daemon.json:1:4 (line:column): text after the end of the object");
    }
    const auto text = planned(request["push"]);
    return Json{{"push_id", request["push"]["push_id"]},
                {"file",
                 {{"path", "/etc/docker/daemon.json"},
                  {"exists", true},
                  {"text", text},
                  {"sha256", sha256_hex(text)}}},
                {"waiting", waits}};
  }
  const auto at = pushes_.find(request["push_id"].get<std::string>());
  if (at == pushes_.end())
    return Json{{"push_id", request["push_id"]}, {"state", "unknown"}, {"report", nullptr}};
  return Json{{"push_id", at->first},
              {"state", at->second.state},
              {"report", at->second.report},
              {"before", at->second.before},
              {"after", at->second.after}};
}

int FakeMachine::hand_overs() const {
  return static_cast<int>(
      std::ranges::count_if(pushes_, [](const auto& p) { return p.second.document["kind"] == "hand_over"; }));
}

std::string FakeMachine::portrait() const {
  std::string text = name_ + " " + version_ + (held_ ? " held" : " unheld") + " hand-overs " +
                     std::to_string(hand_overs()) + "\n" + file_text;
  for (const auto& r : records_) text += r["id"].get<std::string>() + " ";
  return text + "\n";
}

}  // namespace berth::test
