#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::NetworkRow;
using engine::Summary;

/// Docker's list of networks says nothing of containers, and of a stopped one no list of networks does: the
/// containers say it themselves.
bool is_on(const Summary& container, const NetworkRow& network) {
  return std::ranges::find(container.networks, network.name) != container.networks.end() ||
         std::ranges::find(network.containers, container.id) != network.containers.end();
}

Json network_document(const NetworkRow& network, const std::vector<Summary>& containers) {
  Json subnets = Json::array(), members = Json::array();
  for (const auto& subnet : network.subnets)
    subnets.push_back({{"subnet", subnet.subnet}, {"gateway", subnet.gateway.empty() ? Json() : Json(subnet.gateway)}});
  for (const auto& container : containers) {
    if (is_on(container, network)) members.push_back(container_reference(container));
  }
  Json row = {{"id", network.id},
              {"name", network.name},
              {"driver", network.driver},
              {"internal", network.internal},
              {"created_at", network.created_at.empty() ? Json() : Json(network.created_at)},
              {"subnets", std::move(subnets)},
              {"containers", std::move(members)}};
  put_holder_label(row, network.labels);
  return row;
}

}  // namespace

Result<Json> networks(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  auto found = TRY(session.engine.networks());
  const auto containers = TRY(session.engine.list());
  std::ranges::sort(found, {}, &NetworkRow::name);
  Page page{session.max_reply};
  for (const auto& network : found) {
    if (!page.add(network_document(network, containers))) break;
  }
  return std::move(page).answer("networks", found.size());
}

}  // namespace berth::holder::verbs
