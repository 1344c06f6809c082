#include "bus/subjects.h"

#include <cctype>

namespace berth::bus {
namespace {

std::string machine_prefix(const FleetName& fleet, const MachineName& machine) {
  return fleet.text() + "." + machine.text() + ".";
}

std::string seat_prefix(const FleetName& fleet, const MachineName& machine) {
  return machine_prefix(fleet, machine) + std::string{kSeat} + ".";
}

}  // namespace

std::string event_subject(const FleetName& fleet, const MachineName& machine, std::string_view kind) {
  return seat_prefix(fleet, machine) + "event." + std::string{kind};
}

std::string verb_subject(const FleetName& fleet, const MachineName& machine, std::string_view verb_class,
                         std::string_view verb, const CallerName& caller) {
  return seat_prefix(fleet, machine) + std::string{verb_class} + "." + std::string{verb} + "." +
         caller.text();
}

std::string verb_pattern(const FleetName& fleet, const MachineName& machine, std::string_view verb_class,
                         std::string_view verb) {
  return seat_prefix(fleet, machine) + std::string{verb_class} + "." + std::string{verb} + ".*";
}

std::string host_subject(const FleetName& fleet, const MachineName& machine, std::string_view what) {
  return machine_prefix(fleet, machine) + "host." + std::string{what};
}

std::string lease_subject(const FleetName& fleet) { return fleet.text() + ".lease"; }

std::string stream_name(const FleetName& fleet, std::string_view what) {
  std::string name = "BERTH_";
  for (const char c : fleet.text()) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name + "_" + std::string{what};
}

std::string inbox_prefix(std::string_view user) { return "_INBOX." + std::string{user}; }

Result<CallerName> caller_of(std::string_view subject) {
  const auto dot = subject.rfind('.');
  return CallerName::parse(dot == std::string_view::npos ? subject : subject.substr(dot + 1));
}

bool replies_to_caller(std::string_view reply, const CallerName& caller) {
  const auto prefix = inbox_prefix(caller.text()) + ".";
  return reply.starts_with(prefix) && reply.size() > prefix.size();
}

}  // namespace berth::bus
