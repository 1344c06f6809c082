#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"

namespace berth::bus {

/// What one user of the broker may do, and nothing else. The catalogue decides who is in the list and which
/// verbs a caller may ask; these know what the work of each kind of user needs of the bus.
struct User {
  std::string name;
  std::vector<std::string> publish;
  std::vector<std::string> subscribe;
  std::string nkey = {};  // logs in by the seed of this public key; empty: by a password
};

/// May publish the given event subjects and any reply, by list and never by `allow_responses`; may subscribe
/// the verbs it serves, service discovery and its own inbox (acknowledgements of the stream).
User holder_user(const MachineName& machine, std::vector<std::string> events, std::vector<std::string> verbs);
/// May publish its reports and answer the operator; may subscribe its pushes, asks and own inbox.
User host_user(const FleetName& fleet, const MachineName& machine);
/// May publish the given verb subjects and subscribe its own inbox.
User caller_user(const CallerName& caller, std::vector<std::string> verbs);
/// A caller that may also push, ask every host, run migrations and read the fleet's streams.
User operator_user(const FleetName& fleet, const CallerName& caller, std::vector<std::string> verbs);

/// HOLDER_ALDER_PASSWORD for holder-alder: the variable that the broker's own file of passwords defines.
std::string password_variable(std::string_view user);

/// nats-server's `authorization { users = [ … ] }`, users in name order, so that equal grants are equal
/// bytes.
std::string render_authorization(std::span<const User> users);
/// The broker's permissions.conf: the passwords' file included, then the block. The broker refuses a file
/// with a password variable that it does not use, so `users` is everybody who has one.
std::string render_permissions_file(std::span<const User> users);

}  // namespace berth::bus
