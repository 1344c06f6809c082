#pragma once
#include <map>
#include <string>

#include "base/json_fwd.h"
#include "holder/boxes/config.h"
#include "holder/boxes/names.h"

namespace berth::holder::boxes::kubernetes {

inline constexpr const char* kLoginPolicy = "boxes-login";
inline constexpr const char* kContainer = "box";  // of the pod

/// The proxy's Service, as far as a box has to do with it.
struct ProxyService {
  std::string cluster_ip;
  int port = 0;
  std::string target_port;                      // a number or a port's name
  std::map<std::string, std::string> selector;  // the pods behind it
};

// The objects, as they are sent. Valid for Kubernetes 1.20 and for current releases alike.
Json claim_of(const BoxesConfig& config, const BoxId& box);
Json box_pod(const BoxesConfig& config, const BoxId& box, const BoxSpec& spec);
Json login_pod(const BoxesConfig& config, const LoginId& login);
/// From inside, the proxy's pods and the Service's address, on their ports; nobody comes in.
Json box_policy(const BoxesConfig& config, const BoxId& box, const ProxyService& proxy);
/// Logins may go anywhere but to what a node tells of itself; nobody comes in.
Json login_policy(const BoxesConfig& config);

/// Whether the policy found lets through what the wanted one does, and no more: the server fills in defaults.
bool same_policy(const Json& found, const Json& wanted);
/// Whether a policy lets anything through to or from a pod with these labels.
bool opens(const Json& policy, const Json& labels);

}  // namespace berth::holder::boxes::kubernetes
