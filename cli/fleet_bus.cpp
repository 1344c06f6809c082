#include "cli/fleet_bus.h"

#include <pwd.h>
#include <unistd.h>

#include <array>

#include "bus/subjects.h"

namespace berth::cli {
namespace {

constexpr std::chrono::seconds kConnectLimit{5};

}  // namespace

Result<migrate::FleetDocument> load_fleet(const Context& context) {
  if (context.globals().fleet.empty()) {
    return fail_field(Errc::bad_request, "--fleet", "this needs --fleet FILE: the fleet document says where the bus is");
  }
  return migrate::FleetDocument::load(context.globals().fleet);
}

Result<std::unique_ptr<bus::Bus>> connect(const migrate::FleetDocument& fleet, Context& context) {
  auto config = fleet.bus;
  config.name = "berth";
  config.inbox_prefix = bus::inbox_prefix(config.user.empty() ? "operator" : config.user);
  return bus::Bus::connect(std::move(config), context.seam(), kConnectLimit);
}

std::string runner_name() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  const auto* account = ::getpwuid(::getuid());
  return (account == nullptr ? std::to_string(::getuid()) : std::string{account->pw_name}) + "@" + host.data();
}

}  // namespace berth::cli
