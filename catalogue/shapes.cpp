#include "catalogue/shapes.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "catalogue/kinds.h"

namespace berth::catalogue {
namespace {

struct Member {
  std::string_view name;
  Kind kind;
  bool required = false;
};

/// The visible table: one row a type of resource, with the members it has in a manifest. A push has the same
/// members, except that `release` has become `version` and `artifact`, and a package's `name` is a text.
struct Shape {
  std::string_view type;
  std::vector<Member> members;
};

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> kShapes = {
      {"package", {{"name", Kind::name, true}}},
      {"user",
       {{"name", Kind::text, true},
        {"groups", Kind::texts},
        {"shell", Kind::absolute_path},
        {"home", Kind::absolute_path}}},
      {"service",
       {{"unit", Kind::text, true},
        {"running", Kind::boolean},
        {"enabled", Kind::boolean},
        {"masked", Kind::boolean},
        {"on_change", Kind::change}}},
      {"file",
       {{"path", Kind::absolute_path, true},
        {"mode", Kind::mode},
        {"owner", Kind::text},
        {"content", Kind::content, true}}},
      {"json", {{"path", Kind::absolute_path, true}, {"into", Kind::object, true}}},
      {"container", {{"spec", Kind::object, true}, {"on_change", Kind::change}}},
      {"process",
       {{"unit", Kind::text, true},
        {"command", Kind::texts, true},
        {"account", Kind::text, true},
        {"groups", Kind::texts},
        {"link", Kind::absolute_path},
        {"release", Kind::text},
        {"version", Kind::text},
        {"artifact", Kind::object},
        {"credentials", Kind::text_map},
        {"restart_on_change_of", Kind::texts}}},
  };
  return kShapes;
}

const Shape* shape_of(std::string_view type) {
  const auto at = std::ranges::find(shapes(), type, &Shape::type);
  return at == shapes().end() ? nullptr : &*at;
}

std::string known_types() {
  std::string names;
  for (const auto& shape : shapes()) names += (names.empty() ? "" : ", ") + std::string{shape.type};
  return names;
}

Error wrong(const std::string& path, std::string_view member, const std::string& reason,
            Errc code = Errc::bad_request) {
  const auto field = member.empty() ? path : path + "." + std::string{member};
  return fail_field(code, field, field + " " + reason);
}

bool is_id(const Json& value) {
  if (!is_text(value)) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text.size() <= 63 && text[0] != '-' && std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

Result<const Shape*> shape_for(const Json& resource, const std::string& path) {
  if (!resource.is_object()) return wrong(path, "", "must be an object");
  if (!resource.contains("id") || !is_id(resource["id"])) {
    return wrong(path, "id", "must be lower-case letters, digits and '-', at most 63");
  }
  const auto type = resource.value("type", Json{});
  const auto* shape = type.is_string() ? shape_of(type.get_ref<const std::string&>()) : nullptr;
  if (shape == nullptr) return wrong(path, "type", "must be one of " + known_types());
  return shape;
}

Status check_members(const Json& resource, const Shape& shape, const std::string& path) {
  for (const auto& [key, value] : resource.items()) {
    if (key == "id" || key == "type") continue;
    const auto known = std::ranges::find(shape.members, std::string_view{key}, &Member::name);
    if (known == shape.members.end()) {
      return wrong(path, key, "is not a member of a " + std::string{shape.type} + " resource");
    }
  }
  return {};
}

}  // namespace

Status check_shape(const Json& resource, const std::string& path) {
  const auto* shape = TRY(shape_for(resource, path));
  TRY(check_members(resource, *shape, path));
  for (const auto& member : shape->members) {
    if (!resource.contains(member.name)) {
      if (member.required) return wrong(path, member.name, "is required");
      continue;
    }
    const auto& value = resource[std::string{member.name}];
    if (!may_stand_in_manifest(member.kind, value)) {
      return wrong(path, member.name, std::string{judge(member.kind, value).wanted});
    }
  }
  return {};
}

Status check_resolved(const Json& resource, const std::string& path) {
  const auto* shape = TRY(shape_for(resource, path));
  TRY(check_members(resource, *shape, path));
  for (const auto& member : shape->members) {
    if (!resource.contains(member.name)) {
      if (member.required) return wrong(path, member.name, "has no value on this machine", Errc::unfilled);
      continue;
    }
    const auto verdict = judge(member.kind, resource[std::string{member.name}]);
    if (!verdict.ok) return wrong(path, member.name, std::string{verdict.wanted});
  }
  return {};
}

std::set<std::string> ids_named(const Json& resource) {
  std::set<std::string> ids;
  const auto add = [&](const Json& list) {
    if (!are_texts(list)) return;
    for (const auto& id : list) ids.insert(id.get<std::string>());
  };
  if (const auto change = resource.value("on_change", Json{}); is_change(change)) add(change["of"]);
  add(resource.value("restart_on_change_of", Json{}));
  return ids;
}

}  // namespace berth::catalogue
