// The real port: a fleet's machines over the bus.
#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "bus/bus.h"
#include "bus/subjects.h"
#include "bus/whole.h"
#include "migrate/port.h"

namespace berth::migrate {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectLimit{5000};
constexpr milliseconds kPushLimit{20000};
constexpr std::size_t kAtMost = 1000;

/// A reply is the answer asked for or a problem document.
Result<Json> parse_reply(const Result<bus::Message>& reply, std::string_view machine) {
  if (!reply) return Error{reply.error()}.while_doing("ask " + std::string{machine});
  auto body = TRY(parse_json(reply->data, std::string{machine} + "'s answer"));
  const bool is_problem =
      body.is_object() && body.contains("code") && body.contains("status") && body.contains("type");
  if (is_problem) return from_problem(body).while_doing(machine);
  return body;
}

class BusPort final : public Port {
 public:
  BusPort(const FleetDocument& fleet, Seam& seam, std::unique_ptr<bus::Bus> connection)
      : fleet_(fleet.name), config_(fleet.bus), seam_(seam), bus_(std::move(connection)) {}

  static bus::BusConfig log_in(const FleetDocument& fleet) {
    auto config = fleet.bus;
    config.name = "berth migrate";
    config.inbox_prefix = bus::inbox_prefix(config.user.empty() ? "operator" : config.user);
    return config;
  }

  Result<Json> ask(std::string_view machine, const Json& request, milliseconds limit) override {
    return parse_reply(bus::request_whole(*bus_, TRY(subject(machine, "ask")), request.dump(), limit), machine);
  }
  Result<Json> ask_anew(std::string_view machine, const Json& request, milliseconds limit) override {
    const auto anew = TRY(bus::Bus::connect(config_, seam_, kConnectLimit));
    return parse_reply(bus::request_whole(*anew, TRY(subject(machine, "ask")), request.dump(), limit), machine);
  }
  Result<Json> push(std::string_view machine, const Json& document) override {
    return parse_reply(bus::request_whole(*bus_, TRY(subject(machine, "push")), document.dump(), kPushLimit), machine);
  }

  Status ensure_streams() override {
    TRY(bus_->ensure_stream(stream("EVENTS", fleet_.text() + ".*." + std::string{bus::kSeat} + ".event.*")));
    TRY(bus_->ensure_stream(stream("REPORTS", fleet_.text() + ".*.host.report")));
    return bus_->ensure_stream(stream("LEASE", bus::lease_subject(fleet_)));
  }
  Result<std::optional<Kept>> last_lease() override { return last("LEASE", bus::lease_subject(fleet_)); }
  Result<std::uint64_t> claim_lease(std::string_view text, std::uint64_t expected) override {
    return bus_->publish_durable(bus::lease_subject(fleet_), "", text, expected);
  }
  Result<std::vector<Kept>> events(std::string_view machine, std::uint64_t first,
                                   milliseconds wait) override {
    return read("EVENTS", TRY(events_of(machine)), first, wait);
  }
  Result<std::vector<Kept>> reports(std::string_view machine, std::uint64_t first,
                                    milliseconds wait) override {
    return read("REPORTS", TRY(subject(machine, "report")), first, wait);
  }
  Result<std::uint64_t> events_end(std::string_view machine) override {
    return end("EVENTS", TRY(events_of(machine)));
  }
  Result<std::uint64_t> reports_end(std::string_view machine) override {
    return end("REPORTS", TRY(subject(machine, "report")));
  }

 private:
  Result<std::string> subject(std::string_view machine, std::string_view what) const {
    return bus::host_subject(fleet_, TRY(MachineName::parse(machine)), what);
  }
  Result<std::string> events_of(std::string_view machine) const {
    return bus::event_subject(fleet_, TRY(MachineName::parse(machine)), "*");
  }
  bus::StreamConfig stream(std::string_view what, std::string keeps) const {
    return {.name = bus::stream_name(fleet_, what), .subjects = {std::move(keeps)}};
  }
  Result<std::optional<Kept>> last(std::string_view what, const std::string& from) {
    auto message = TRY(bus_->last_message(bus::stream_name(fleet_, what), from));
    if (!message) return std::optional<Kept>{};
    return std::optional{Kept{message->sequence, std::move(message->message.data)}};
  }
  Result<std::uint64_t> end(std::string_view what, const std::string& from) {
    const auto newest = TRY(last(what, from));
    return newest ? newest->sequence + 1 : 1;
  }
  Result<std::vector<Kept>> read(std::string_view what, const std::string& from, std::uint64_t first,
                                 milliseconds wait) {
    std::vector<Kept> kept;
    for (auto& message : TRY(bus::read_wholes(*bus_, bus::stream_name(fleet_, what), from, first, kAtMost, wait))) {
      kept.push_back({message.sequence, std::move(message.message.data)});
    }
    return kept;
  }

  const FleetName fleet_;
  const bus::BusConfig config_;
  Seam& seam_;
  std::unique_ptr<bus::Bus> bus_;
};

}  // namespace

Result<std::unique_ptr<Port>> open_port(const FleetDocument& fleet, Seam& seam) {
  auto config = BusPort::log_in(fleet);
  auto named = fleet;
  named.bus = config;
  auto connection = TRY(bus::Bus::connect(std::move(config), seam, kConnectLimit));
  return std::unique_ptr<Port>{std::make_unique<BusPort>(named, seam, std::move(connection))};
}

}  // namespace berth::migrate
