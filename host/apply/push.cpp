#include "host/apply/push.h"

#include <algorithm>
#include <set>

#include "base/fields.h"
#include "base/names.h"

namespace berth::host::apply {
namespace {

/// The path of the first text under `value` that still holds a placeholder; empty when none does.
std::string placeholder_in(const Json& value, const std::string& path) {
  if (value.is_string())
    return value.get_ref<const std::string&>().find("${") == std::string::npos ? "" : path;
  if (!value.is_structured()) return {};
  for (const auto& [key, inner] : value.items()) {
    if (key.find("${") != std::string::npos) return path + "." + key;
    const auto at = value.is_array() ? path + "[" + key + "]" : path + "." + key;
    if (auto found = placeholder_in(inner, at); !found.empty()) return found;
  }
  return {};
}

bool is_resource_id(std::string_view id) {
  return !id.empty() && id.size() <= 63 && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

Error at(Error error, const std::string& path) {
  error.field = path + (error.field.empty() ? "" : "." + error.field);
  return std::move(error).while_doing(path);
}

/// A container is held by its module's assignment, whatever the spec leaves out; it cannot name another.
Status give_assignment(Json& declared, const std::string& assignment, const std::string& path) {
  const auto spec = declared.find("spec");
  if (spec == declared.end() || !spec->is_object()) return {};  // the type's check says what is wrong
  const auto named = spec->find("assignment");
  if (named != spec->end() && *named != Json(assignment)) {
    return fail_field(Errc::bad_request, path + ".spec.assignment",
                      path + ".spec.assignment must be " + assignment);
  }
  (*spec)["assignment"] = assignment;
  return {};
}

/// Where a resource stands: in a module, under its assignment, or in a bundle, by itself.
struct Owner {
  std::string module, assignment;
};

Result<Resource> parse_resource(const Json& document, const Owner& owner, const std::string& path,
                                const Types& types) {
  if (!document.is_object()) return fail_field(Errc::bad_request, path, path + " must be an object");
  const auto text_of = [&](const char* key) {
    const auto member = document.find(key);
    return member != document.end() && member->is_string() ? member->get<std::string>() : std::string{};
  };
  const auto id = text_of("id");
  if (!is_resource_id(id)) {
    return fail_field(Errc::bad_request, path + ".id",
                      path + ".id must be lower-case letters, digits, '-' and '_', at most 63");
  }
  Resource resource;
  resource.id = owner.module.empty() ? id : owner.module + "." + id;
  resource.module = owner.module;
  resource.type = types(text_of("type"));
  if (resource.type == nullptr) {
    return fail_field(Errc::bad_request, path + ".type",
                      path + ".type \"" + text_of("type") + "\" is no type of resource");
  }
  if (const auto left = placeholder_in(document, path); !left.empty()) {
    return fail_field(Errc::unfilled, left, left + " still holds a placeholder; nothing was changed");
  }
  resource.declared = document;
  if (resource.type->name == "container") {
    TRY(give_assignment(resource.declared, owner.module.empty() ? id : owner.assignment, path));
  }
  if (auto checked = resource.type->check(resource.declared); !checked) return at(checked.error(), path);
  return resource;
}

Status parse_resources(const Json& list, const Owner& owner, const std::string& path, const Types& types,
                       std::vector<Resource>& into) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto here = path + "[" + std::to_string(i) + "]";
    auto resource = TRY(parse_resource(list[i], owner, here, types));
    if (std::ranges::any_of(into, [&](const Resource& r) { return r.id == resource.id; })) {
      return fail_field(Errc::bad_request, here + ".id", here + ".id: " + resource.id + " is declared twice");
    }
    into.push_back(std::move(resource));
  }
  return {};
}

Status parse_module(const Json& document, const std::string& path, const Types& types, Push& push) {
  Fields f{document, path};
  Module module;
  module.name = f.text("name");
  const auto assignment = f.text("assignment", module.name);
  module.claims = f.texts("claims");
  const auto& resources = f.array("resources");
  TRY(f.finish());
  TRY(ModuleName::parse(module.name));
  if (std::ranges::any_of(push.modules, [&](const Module& m) { return m.name == module.name; })) {
    return fail_field(Errc::bad_request, path + ".name", "module " + module.name + " is declared twice");
  }
  TRY(parse_resources(resources, {module.name, assignment}, path + ".resources", types, push.resources));
  push.modules.push_back(std::move(module));
  return {};
}

Result<std::map<std::string, std::string>> parse_expect(const Json& document) {
  Fields f{document, "expect"};
  std::map<std::string, std::string> expect;
  for (const auto* what : {"file", "unit", "flags"}) {
    const auto hash = f.maybe_text(what);
    if (!hash) continue;
    const bool is_hash =
        hash->size() == 64 && hash->find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_hash) f.refuse(what, "must be a sha256 of 64 hex digits");
    expect[what] = *hash;
  }
  TRY(f.finish());
  return expect;
}

Status check_give_back(const Push& push) {
  std::set<std::string> seen;
  for (const auto& id : push.give_back) {
    if (!seen.insert(id).second)
      return fail_field(Errc::bad_request, "give_back", "give_back names " + id + " twice");
    if (std::ranges::any_of(push.resources, [&](const Resource& r) { return r.id == id; })) {
      return fail_field(Errc::bad_request, "give_back", id + " is both given back and declared");
    }
  }
  return {};
}

}  // namespace

bool Module::claims_seat(std::string_view seat) const {
  return std::ranges::find(claims, seat) != claims.end();
}

Result<Push> parse_push(const Json& body, const Types& types) {
  Fields f{body, ""};
  Push push;
  push.push_id = f.text("push_id");
  push.fleet = f.text("fleet");
  push.machine = f.text("machine");
  push.machine_id = f.text("machine_id");
  push.token = f.integer("token", 0, INT64_MAX);
  push.runner = f.text("runner", "");
  push.sequence = f.integer("sequence", 0, INT64_MAX);
  push.kind = f.one_of("kind", {"apply", "hand_over", "back_out"}, "");
  push.give_back = f.texts("give_back");
  const auto& expect = f.object("expect");
  const auto& declaration = f.object("declaration");
  push.restores = f.text("restores", "");
  push.confirm_s = f.integer("confirm_s", 0, 3600, 0);
  push.composed_at = f.text("composed_at", "");
  if (f.has("seat")) push.seat = f.object("seat");
  if (push.push_id.size() > 128) f.refuse("push_id", "is longer than 128 characters");
  if (!push.restores.empty() && push.kind != "back_out") f.refuse("restores", "belongs to a back_out");
  TRY(f.finish());
  push.expect = TRY(parse_expect(expect));
  Fields d{declaration, "declaration"};
  const auto& modules = d.array("modules");
  TRY(d.finish());
  for (std::size_t i = 0; i < modules.size(); ++i) {
    TRY(parse_module(modules[i], "declaration.modules[" + std::to_string(i) + "]", types, push));
  }
  TRY(check_give_back(push));
  return push;
}

Result<Bundle> parse_bundle(const Json& body, const Types& types) {
  Fields f{body, ""};
  Bundle bundle;
  bundle.fleet = f.text("fleet", "mesh");
  bundle.machine = f.text("machine");
  const auto& resources = f.array("resources");
  if (f.has("seat")) bundle.seat = f.object("seat");
  TRY(f.finish());
  TRY(parse_resources(resources, {}, "resources", types, bundle.resources));
  return bundle;
}

}  // namespace berth::host::apply
