# shellcheck shell=bash
# The cluster's one node: a network namespace of its own, joined to this computer by one pair of interfaces.

readonly kNamespace=berth-cluster kHostEnd=bcl-host kNodeEnd=bcl-node
readonly kHostAddress=10.213.240.1 kNodeAddress=10.213.240.2
readonly kPodRange=10.213.241.0/24 kServiceRange=10.213.242.0/24 kKubernetesService=10.213.242.1

# Not by `ip netns exec`, which hides the control groups behind a /sys of its own.
inside() { nsenter --net="/run/netns/$kNamespace" "$@"; }

namespace_up() {
  ip netns add "$kNamespace"
  ip link add "$kHostEnd" type veth peer name "$kNodeEnd"
  ip link set "$kNodeEnd" netns "$kNamespace"
  ip addr add "$kHostAddress/30" dev "$kHostEnd"
  ip link set "$kHostEnd" up
  inside ip link set lo up
  inside ip addr add "$kNodeAddress/30" dev "$kNodeEnd"
  inside ip link set "$kNodeEnd" up
  # kubelet and kube-proxy want a default route; nothing forwards what takes it.
  inside ip route add default via "$kHostAddress"
  inside sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.route_localnet=1
}

# One that a killed script left is nobody's when nothing runs in it.
namespace_is_free() {
  [ ! -e "/run/netns/$kNamespace" ] || { [ -z "$(ip netns pids "$kNamespace")" ] && namespace_down; }
}

namespace_down() {
  ip link delete "$kHostEnd" 2>/dev/null || true
  ip netns delete "$kNamespace" 2>/dev/null || true
}

# run_part NAME COMMAND…: starts it in the namespace, its log and pid in the state folder. A session of its own, so
# that Ctrl-C is for the script alone.
run_part() {
  local name=$1
  shift
  (
    [ -z "${lock_fd:-}" ] || exec {lock_fd}>&-
    exec setsid nsenter --net="/run/netns/$kNamespace" "$@" >"$state/$name.log" 2>&1 </dev/null
  ) &
  echo $! >"$state/$name.pid"
}

# until_true SECONDS WHAT COMMAND…
until_true() {
  local seconds=$1 what=$2 i
  shift 2
  for ((i = 0; i < seconds * 5; i++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.2
  done
  tail -n 15 "$state"/*.log >&2
  die "$what did not come up in $seconds s"
}

# part_down NAME PART: ends it by its pid.
part_down() {
  [ ! -s "$state/$1.pid" ] || stop_pid "$(cat "$state/$1.pid")" "$2" 20
}
