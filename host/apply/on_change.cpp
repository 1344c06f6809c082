#include "host/apply/on_change.h"

#include "host/records/pushes.h"
#include "host/resources/units.h"

namespace berth::host::apply {
namespace {

constexpr std::string_view kDue = "on_change_due";

struct Following {
  std::vector<std::string> of;
  std::string act;  // reload, restart, signal
  std::string signal;
};

std::string member_text(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::vector<std::string> ids_at(const Json& object, const char* key, const std::string& module) {
  std::vector<std::string> ids;
  if (const auto at = object.find(key); at != object.end() && at->is_array()) {
    for (const auto& id : *at) {
      if (id.is_string())
        ids.push_back(module.empty() ? id.get<std::string>() : module + "." + id.get<std::string>());
    }
  }
  return ids;
}

Following following_of(const Item& item) {
  if (item.declared.contains("restart_on_change_of")) {
    return {ids_at(item.declared, "restart_on_change_of", item.module), "restart", ""};
  }
  const auto at = item.declared.find("on_change");
  if (at == item.declared.end() || !at->is_object()) return {};
  return {ids_at(*at, "of", item.module), member_text(*at, "do"), member_text(*at, "signal")};
}

/// The container by the name it was declared with: the record's id of it is the type's own business.
Result<std::string> signal_container(const Item& item, const std::string& signal, path::Opened& opened) {
  if (opened.silent) return *opened.silent;
  const auto name = member_text(item.declared["spec"], "name");
  TRY(opened.path->signal(name, signal));
  return "sent " + signal;
}

Result<std::string> act_on(const Item& item, const Following& following, resources::World& world,
                           path::Opened& opened) {
  if (item.type->name == "container") return signal_container(item, following.signal, opened);
  const auto unit = member_text(item.declared, "unit");
  if (following.act == "reload") {
    TRY(world.units.reload(unit));
    return std::string{"reloaded"};
  }
  TRY(world.units.restart(unit));
  return std::string{"restarted"};
}

}  // namespace

Result<std::set<std::string>> changes_due(store::Store& store) {
  std::set<std::string> ids;
  const auto kept = TRY(document_setting(store, kDue));
  if (kept.is_array()) {
    for (const auto& id : kept) ids.insert(id.get<std::string>());
  }
  return ids;
}

Status keep_changes_due(store::Store& store, const std::set<std::string>& ids) {
  if (ids == TRY(changes_due(store))) return {};
  return set_document_setting(store, kDue, Json(ids));
}

Result<std::optional<std::string>> follow(const Item& item, const std::set<std::string>& changed,
                                          resources::World& world, path::Opened& opened) {
  const auto following = following_of(item);
  std::string cause;
  for (const auto& id : following.of) {
    if (changed.contains(id)) cause += (cause.empty() ? "" : ", ") + id;
  }
  if (cause.empty()) return std::optional<std::string>{};
  const auto done = TRY(act_on(item, following, world, opened));
  return std::optional<std::string>{done + ", for " + cause};
}

}  // namespace berth::host::apply
