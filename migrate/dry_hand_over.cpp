#include "migrate/dry_hand_over.h"

#include "base/json.h"
#include "catalogue/compose.h"

namespace berth::migrate {

Result<Json> dry_hand_over(store::Store& store, const std::string& machine, const Json& status, const Json& snapshot) {
  catalogue::PushOrder order;
  order.machine = machine;
  order.push_id = "plan-" + machine;
  order.kind = catalogue::PushKind::hand_over;
  order.runner = "plan";
  order.token = status.value("token", std::int64_t{0});
  order.sequence = status.value("sequence", std::int64_t{0}) + 1;
  order.expect_file = snapshot["file"]["sha256"].get<std::string>();
  order.expect_unit = snapshot["unit"]["sha256"].get<std::string>();
  order.expect_flags = snapshot["flags"]["sha256"].get<std::string>();
  return catalogue::compose(store, order, TRY(catalogue::parse_records(snapshot["records"])));
}

}  // namespace berth::migrate
