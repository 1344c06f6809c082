#include "store/audit.h"

#include <algorithm>

#include "schema/audit.h"

namespace berth::store {
namespace {

std::string with_dashes(std::string_view name) {
  std::string text{name};
  std::ranges::replace(text, '_', '-');
  return text;
}

/// What follows "-- <key>: " on a comment line, or nothing.
std::string_view said(std::string_view line, std::string_view key) {
  const auto head = "-- " + std::string{key} + ": ";
  return line.starts_with(head) ? line.substr(head.size()) : std::string_view{};
}

Audit parse(std::string_view name, std::string_view text) {
  Audit audit{.name = with_dashes(name), .title = {}, .asks = {}, .parameters = {}, .sql = std::string{text}};
  while (text.starts_with("--")) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    if (const auto title = said(line, "title"); !title.empty()) audit.title = title;
    if (const auto asks = said(line, "asks"); !asks.empty()) audit.asks = asks;
    if (const auto param = said(line, "param"); !param.empty()) audit.parameters.emplace_back(param);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return audit;
}

}  // namespace

const std::vector<Audit>& audits() {
  static const std::vector<Audit> all = [] {
    std::vector<Audit> parsed;
    for (const auto& file : schema::audit::all_audit()) parsed.push_back(parse(file.name, file.text));
    return parsed;
  }();
  return all;
}

Result<Audit> find_audit(std::string_view name) {
  const auto at = std::ranges::find(audits(), with_dashes(name), &Audit::name);
  if (at != audits().end()) return *at;
  std::string names;
  for (const auto& audit : audits()) names += (names.empty() ? "" : ", ") + audit.name;
  return fail_field(Errc::bad_request, "audit", "there is no audit \"" + std::string{name} + "\"; there are " + names);
}

Result<Store::Table> run_audit(Store& store, const Audit& audit, std::string_view machine) {
  std::vector<Value> args;
  for (const auto& parameter : audit.parameters) {
    const bool given = parameter == "machine" && !machine.empty();
    args.push_back(given ? Value{std::string{machine}} : Value{});
  }
  return store.table(audit.sql, args);
}

}  // namespace berth::store
