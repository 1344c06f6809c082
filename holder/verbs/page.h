#pragma once
#include <cstddef>
#include <memory>
#include <string>

#include "base/json_fwd.h"
#include "holder/engine/engine.h"

namespace berth::holder::verbs {

/// The rows of one answer, as many as its face carries: the first that does not fit ends it, and `truncated`
/// says so.
class Page {
 public:
  explicit Page(std::size_t most);
  ~Page();
  /// False once it is full.
  bool add(Json row);
  bool truncated() const { return truncated_; }
  /// {"<name>": rows, "total", "truncated"}
  Json answer(const std::string& name, std::size_t total) &&;

 private:
  std::unique_ptr<Json> rows_;
  std::size_t left_;
  bool truncated_ = false;
};

/// {"id", "name", "state", "mesh_held", "assignment"}: a container as another thing's answer names it.
Json container_reference(const engine::Summary& container);
/// {"mesh_held", "assignment"} of what is not a container, by its label.
void put_holder_label(Json& answer, const std::map<std::string, std::string>& labels);

}  // namespace berth::holder::verbs
