#include "holder/verbs/page.h"

#include "base/json.h"
#include "holder/policy/labels.h"
#include "holder/verbs/containers.h"

namespace berth::holder::verbs {
namespace {

constexpr std::size_t kFrame = 512;  // of an answer, for what stands around its rows

}  // namespace

Page::Page(std::size_t most)
    : rows_(std::make_unique<Json>(Json::array())), left_(most > kFrame ? most - kFrame : 0) {}
Page::~Page() = default;

bool Page::add(Json row) {
  const auto size = row.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
  truncated_ = truncated_ || size > left_;
  if (truncated_) return false;
  left_ -= size;
  rows_->push_back(std::move(row));
  return true;
}

Json Page::answer(const std::string& name, std::size_t total) && {
  return {{name, std::move(*rows_)}, {"total", total}, {"truncated", truncated_}};
}

Json container_reference(const engine::Summary& container) {
  Json answer = {{"id", container.id}, {"name", container.name}, {"state", container.state}};
  put_holder(answer, container);
  return answer;
}

void put_holder_label(Json& answer, const std::map<std::string, std::string>& labels) {
  const auto held = labels.find(std::string{policy::kHeldLabel});
  answer["mesh_held"] = held != labels.end();
  answer["assignment"] = held != labels.end() ? Json(held->second) : Json();
}

}  // namespace berth::holder::verbs
