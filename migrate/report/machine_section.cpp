// One machine's part of the page.
#include "base/json.h"
#include "migrate/report/chart.h"
#include "migrate/report/markup.h"
#include "migrate/report/sections.h"

namespace berth::migrate::report_detail {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string facts_of(const Json& machine) {
  const auto& versions = machine["versions"];
  std::string packages;
  if (versions["packages"].is_object()) {
    for (const auto& [name, version] : versions["packages"].items()) {
      if (version.is_string()) packages += (packages.empty() ? "" : ", ") + name + " " + version.get<std::string>();
    }
  }
  const auto fact = [](const char* name, const std::string& value) {
    return "<dt>" + std::string{name} + "</dt><dd>" + value + "</dd>";
  };
  return "<dl>" + fact("machine-id", "<code>" + shown(machine, "machine_id") + "</code>") +
         fact("platform", shown(versions, "platform")) +
         fact("engine", shown(versions, "engine") + " " + shown(versions, "engine_version")) +
         fact("host", shown(versions, "host") + ", command-line path " + shown(versions, "cli_path")) +
         fact("holder", shown(versions, "holder")) + fact("packages", packages.empty() ? "\u2013" : escaped(packages)) +
         fact("restarts", shown(machine, "restarts")) + "</dl>\n";
}

std::string took(const Json& step) {
  return step["duration_ms"].is_number() ? duration(std::chrono::milliseconds{step["duration_ms"].get<std::int64_t>()})
                                         : "\u2013";
}

std::string what_came_of_it(const Json& step) {
  if (step["error"].is_string()) {
    const auto error = step["error"].get<std::string>();
    const auto whole = error.find('\n') == std::string::npos ? "" : "<pre class=\"error\">" + escaped(error) + "</pre>";
    return "<span class=\"why\">" + escaped(first_line(error)) + "</span>" + whole;
  }
  return escaped(step["says"].get<std::string>());
}

/// Attempts before the last are told in a line each: what failed, and what was undone.
std::string earlier_attempts(const Json& step) {
  std::string text;
  const auto& attempts = step["attempts"];
  for (std::size_t i = 0; i + 1 < attempts.size(); ++i) {
    const auto& attempt = attempts[i];
    text += "<tr class=\"note\"><td></td><td>" + chip(attempt["state"].get<std::string>()) + "</td><td>" +
            instant(attempt["began_at"].is_null() ? attempt["ended_at"] : attempt["began_at"]) + "</td><td></td><td>" +
            (attempt["error"].is_string() ? escaped(first_line(attempt["error"].get<std::string>())) : "") +
            " <small>attempt " + attempt["attempt"].dump() + ", " + shown(attempt, "runner") + "</small></td></tr>\n";
  }
  return text;
}

std::string steps_table(const Json& machine) {
  std::string text =
      "<table class=\"steps\"><thead><tr><th>step</th><th>state</th><th>begun</th><th class=\"n\">took</th>"
      "<th>what was observed</th></tr></thead><tbody>\n";
  for (const auto& step : machine["steps"]) {
    text += earlier_attempts(step);
    text += "<tr><th>" + step["step"].dump() + " " + escaped(step["name"].get<std::string>()) + "</th><td>" +
            chip(step["state"].get<std::string>()) + "</td><td>" + instant(step["began_at"]) + "</td><td class=\"n\">" +
            took(step) + "</td><td>" + what_came_of_it(step) + "</td></tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string file_part(const Json& file) {
  if (!file.is_object()) return "";
  const auto diff = file.value("diff", "");
  return "<h4>" + shown(file, "path") + "</h4>\n" +
         (diff.empty() ? "<p class=\"quiet\">The file stayed as it was.</p>\n" : difference(diff)) +
         "<p class=\"quiet\">sha256 <code>" + escaped(file.value("sha256_before", "").substr(0, 16)) +
         "\u2026</code> before, <code>" + escaped(file.value("sha256", "").substr(0, 16)) + "\u2026</code> after</p>\n";
}

std::string keys_part(const Json& keys) {
  if (!keys.is_array() || keys.empty()) return "";
  std::string text =
      "<h4>Keys of the engine\u2019s configuration</h4>\n<table><thead><tr><th>key</th><th>found</th><th>set by</th>"
      "<th>the module writes</th><th>decided</th></tr></thead><tbody>\n";
  for (const auto& key : keys) {
    text += "<tr><th>" + shown(key, "key") + "</th><td><code>" + shown(key, "found") + "</code></td><td>" +
            shown(key, "owner") + "</td><td><code>" + shown(key, "planned") + "</code></td><td>" +
            shown(key, "decision") + "</td></tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string proofs_part(const Json& machine) {
  std::string text;
  for (const auto& step : machine["steps"]) {
    if (step["proof"].is_null()) continue;
    text += "<details class=\"proof\"><summary>Proof of step " + step["step"].dump() + " " +
            escaped(step["name"].get<std::string>()) + " as JSON</summary><pre>" +
            escaped(step["proof"].dump(2, ' ', false, Json::error_handler_t::replace)) + "</pre></details>\n";
  }
  return text;
}

}  // namespace

std::string difference(const std::string& text) {
  std::string out = "<pre class=\"diff\">";
  std::size_t from = 0;
  while (from < text.size()) {
    const auto end = std::min(text.find('\n', from), text.size());
    const auto line = text.substr(from, end - from);
    const char first = line.empty() ? ' ' : line[0];
    const bool head = line.starts_with("+++") || line.starts_with("---") || first == '@';
    out += std::string{"<span class=\""} + (head ? "head" : first == '+' ? "add" : first == '-' ? "del" : "same") +
           "\">" + escaped(line) + "</span>\n";
    from = end + 1;
  }
  return out + "</pre>\n";
}

std::string machine_section(const Json& machine) {
  const auto name = escaped(machine["name"].get<std::string>());
  return "<section class=\"machine\" id=\"" + name + "\"><h2>" + name + " " + chip(machine["state"].get<std::string>()) +
         "</h2>\n" +
         (machine["set_aside"].is_string()
              ? "<p class=\"why\">Set aside: " + escaped(machine["set_aside"].get<std::string>()) + "</p>\n"
              : "") +
         facts_of(machine) + machine_chart(machine) + steps_table(machine) + file_part(machine["file"]) +
         keys_part(machine["keys"]) + proofs_part(machine) + "</section>\n";
}

}  // namespace berth::migrate::report_detail
