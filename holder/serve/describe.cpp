#include "holder/serve/describe.h"

#include "base/json.h"
#include "holder/boxes/verbs/table.h"
#include "holder/verbs/table.h"

namespace berth::holder::serve {

std::string json_description() {
  Json verbs = Json::array();
  for (const auto& row : verbs::verb_table()) {
    verbs.push_back({{"name", row.name},
                     {"class", verbs::to_text(row.verb_class)},
                     {"seat", row.of_seat},
                     {"tool", row.is_tool ? Json("docker_" + std::string{row.name}) : Json()},
                     {"host_only", row.host_only},
                     {"bound_s", row.bound.count()},
                     {"params", row.params},
                     {"summary", row.summary}});
  }
  Json boxes = Json::array();
  for (const auto& row : boxes::verbs::box_verb_table()) {
    boxes.push_back({{"name", row.name},
                     {"class", verbs::to_text(row.verb_class)},
                     {"params", row.params},
                     {"summary", row.summary}});
  }
  const Json document = {
      {"verbs", std::move(verbs)}, {"events", verbs::event_kinds()}, {"box_verbs", std::move(boxes)}};
  return document.dump(2) + "\n";
}

std::string markdown_description() { return verbs::verbs_page(); }

}  // namespace berth::holder::serve
