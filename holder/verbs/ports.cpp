#include <algorithm>
#include <map>
#include <tuple>

#include "base/fields.h"
#include "base/json.h"
#include "holder/verbs/page.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

using engine::Summary;

/// One row a published port; an engine says each twice, for both families, and may give them different ports.
using PortKey = std::tuple<std::string, int, int>;  // protocol, on the machine, in the container
using PortRows = std::map<PortKey, std::vector<std::string>>;

PortRows ports_of(const Summary& container) {
  PortRows rows;
  for (const auto& port : container.ports) {
    auto& addresses = rows[{port.protocol, port.host_port, port.container_port}];
    const auto address = port.host_ip.empty() ? std::string{"0.0.0.0"} : port.host_ip;
    if (std::ranges::find(addresses, address) == addresses.end()) addresses.push_back(address);
  }
  return rows;
}

bool is_up(const Summary& container) { return container.state == "running" || container.state == "paused"; }

struct Published {
  PortKey key;
  Json row;
};

std::vector<Published> published(const std::vector<Summary>& containers) {
  std::vector<Published> rows;
  for (const auto& container : containers) {
    if (!is_up(container)) continue;
    for (const auto& [key, addresses] : ports_of(container)) {
      const auto& [protocol, host_port, container_port] = key;
      rows.push_back({key,
                      {{"protocol", protocol},
                       {"host_port", host_port},
                       {"container_port", container_port},
                       {"addresses", addresses},
                       {"container", container_reference(container)}}});
    }
  }
  std::ranges::stable_sort(rows, {}, [](const Published& row) { return std::get<1>(row.key); });
  return rows;
}

}  // namespace

Result<Json> ports(Session& session, const Json& params) {
  Fields fields{params, ""};
  TRY(fields.finish());
  const auto containers = TRY(session.engine.list());
  auto rows = published(containers);
  Page page{session.max_reply / 2}, host{session.max_reply / 2};
  for (auto& row : rows) {
    if (!page.add(std::move(row.row))) break;
  }
  std::size_t on_host = 0;
  for (const auto& container : containers) {
    if (!container.host_network || !is_up(container)) continue;
    ++on_host;
    auto row = container_reference(container);
    row["note"] = "on the machine's own network: its ports are not known to the engine";
    host.add(std::move(row));
  }
  const bool truncated = page.truncated() || host.truncated();
  auto answer = std::move(page).answer("ports", rows.size());
  answer["host_network"] = std::move(host).answer("rows", on_host)["rows"];
  answer["truncated"] = truncated;
  return answer;
}

}  // namespace berth::holder::verbs
