#pragma once
#include <string>
#include <string_view>

namespace berth::holder::client {

// The grammars of a spec's words. policy.md says why each is as narrow as it is: some engines read a string
// again behind their API, so a comma, colon, quote or line end where it is syntax there is an attack here.

bool is_container_name(std::string_view text);       // what engines take: at least two of [a-zA-Z0-9_.-]
bool is_safe_container_name(std::string_view text);  // none that an engine reads as something else
bool is_image_reference(std::string_view text);      // [host[:port]/]path[:tag][@sha256:hex] or sha256:hex
bool is_safe_image_reference(
    std::string_view text);  // none that Podman reads as a transport, or an id's prefix
bool is_environment_name(std::string_view text);
bool is_label_key(std::string_view text);      // a bus caller's: lower case, no '='
bool is_reserved_label(std::string_view key);  // the mesh's and the engines' own, in any case
bool is_user(std::string_view text);           // id-or-name[:id-or-name]
bool is_dns_name(std::string_view text);       // labels of letters, digits and '-'
bool is_dns_label(std::string_view text);
bool is_ip_literal(std::string_view text);
bool is_absolute_path(std::string_view text);  // no control character, no ".." part
bool is_safe_target(std::string_view text);    // policy.md's Target grammar and where it may not lie
bool is_safe_working_dir(std::string_view text);
bool is_volume_name(std::string_view text);
bool is_safe_volume_name(std::string_view text);  // not an anonymous volume's hex
bool is_capability(std::string_view text);        // upper case, without CAP_
bool is_signal_name(std::string_view text);       // SIGTERM
bool is_mac_address(std::string_view text);
bool has_control_characters(std::string_view text);
bool is_init_system(std::string_view argv0);  // Podman gives such a command the host's cgroup tree

/// "cap_net_admin" and "NET_ADMIN" are one: upper case, without the prefix.
std::string capability(std::string_view text);

}  // namespace berth::holder::client
