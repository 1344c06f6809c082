# shellcheck shell=bash
# The four machines as containers of the outer engine. All that is made carries the label berth.practice=<state
# folder>, so that what is removed is exactly what was made, by id, by whichever run of the script.

readonly kMachines=(alder birch cedar dogwood)
readonly kSubnets=(10.213.77.0/24 10.217.119.0/24 172.29.213.0/24 192.168.213.0/24)

# Where this fleet's state is, and what its objects are called; another folder is another fleet.
settle_names() {
  state=${BERTH_PRACTICE_DIR:-/var/tmp/berth-practice}
  [[ $state == /* ]] || die "BERTH_PRACTICE_DIR is $state: it must be an absolute path"
  fleet_prefix=''
  [ "$state" = /var/tmp/berth-practice ] || fleet_prefix=$(printf %s "$state" | sha256sum | cut -c 1-4)-
  network=berth-${fleet_prefix}practice
}

# A fleet that is up, on the engine that up used, whatever DOCKER_HOST says today.
need_fleet() {
  [ -e "$state/up" ] || die "there is no practice fleet in $state: scripts/practice-fleet up makes one"
  outer_socket=$(cat "$state/up")
  socket_answers "${outer_socket#unix://}" || die "the engine of the practice fleet, $outer_socket, does not answer"
}

label() { echo "berth.practice=$state"; }
container_name() { echo "berth-$fleet_prefix$1"; }
# on MACHINE COMMAND…: runs it in the machine.
on() {
  local machine=$1
  shift
  outer exec "$(container_name "$machine")" "$@"
}
# on_with_input MACHINE COMMAND…: the same, reading this command's stdin.
on_with_input() {
  local machine=$1
  shift
  outer exec -i "$(container_name "$machine")" "$@"
}
network_subnet() { outer network inspect -f '{{(index .IPAM.Config 0).Subnet}}' "$network"; }
address_of() {
  local i
  : "${subnet:=$(network_subnet)}"
  for i in "${!kMachines[@]}"; do
    [ "${kMachines[i]}" != "$1" ] || python3 -c 'import ipaddress, sys
print(ipaddress.ip_network(sys.argv[1])[int(sys.argv[2])])' "$subnet" $((i + 2))
  done
}

# network_ensure: a bridge of its own, so that addresses are known and stay over a restart.
network_ensure() {
  local taken wanted
  if outer network inspect "$network" >/dev/null 2>&1; then
    subnet=$(network_subnet)
    return
  fi
  taken=$(ip -4 route show table all | awk '{print $1 == "broadcast" || $1 == "local" ? "" : $1}')
  taken="$taken $(outer network ls -q | xargs -r -n 1 docker -H "$outer_socket" network inspect \
    -f '{{range .IPAM.Config}}{{.Subnet}} {{end}}' 2>/dev/null || true)"
  if [ -n "${BERTH_PRACTICE_SUBNET:-}" ]; then
    wanted=("$BERTH_PRACTICE_SUBNET")
  else
    wanted=("${kSubnets[@]}")
  fi
  subnet=$(python3 "$lib/subnet.py" "${wanted[@]}" <<<"$taken") ||
    die "no subnet for the practice machines; name a free one in BERTH_PRACTICE_SUBNET"
  outer network create --label "$(label)" --subnet "$subnet" "$network" >/dev/null
}

# has_capability BIT: of those of linux/capability.h, whether this process could give it.
has_capability() { (($(awk '/^CapBnd:/ {print "0x" $2}' /proc/self/status) >> $1 & 1)); }

# How a container may be a machine: systemd inside, and an engine of its own. On cgroup v1 the computer's tree
# is mounted; on v2 the machine has a cgroup namespace of its own and makes its mount writable before it boots.
machine_options() {
  # Later engines mean by ALL what this computer has, and refuse to drop what it has not.
  if has_capability 24 || [ "$(outer version -f '{{.Server.Version}}' | cut -d. -f1)" -lt 23 ]; then
    printf '%s\n' --cap-drop SYS_RESOURCE
  fi
  printf '%s\n' --cap-add ALL --security-opt seccomp=unconfined \
    --security-opt apparmor=unconfined --security-opt systempaths=unconfined --device-cgroup-rule 'a *:* rwm' \
    --tmpfs /run --tmpfs /tmp --stop-signal SIGRTMIN+3
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
    printf '%s\n' --cgroupns private
  else
    printf '%s\n' --cgroupns host -v /sys/fs/cgroup:/sys/fs/cgroup:rw
  fi
}

# On a computer of its own systemd shares its root mount with its units, which is how their credentials reach
# them; in a container it leaves the mount as it finds it, private.
machine_command() {
  local first='mount --make-rshared /' boot='exec /lib/systemd/systemd'
  if [ "$(stat -fc %T /sys/fs/cgroup)" = cgroup2fs ]; then
    first="mount -o remount,bind,rw /sys/fs/cgroup && $first"
  elif [ "$1" != bookworm ]; then
    boot="$boot SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"
  fi
  printf '%s\n' /bin/sh -c "$first && $boot"
}

# machine_create MACHINE CODENAME: made, with its own machine-id and what was written into it by hand; not started.
machine_create() {
  local machine=$1 codename=$2 name volume options command other hosts=()
  name=$(container_name "$machine")
  volume=$name-docker
  mapfile -t options < <(machine_options)
  mapfile -t command < <(machine_command "$codename")
  for other in "${kMachines[@]}"; do hosts+=(--add-host "$other:$(address_of "$other")"); done
  outer volume create --label "$(label)" "$volume" >/dev/null
  outer create --name "$name" --hostname "$machine" --label "$(label)" --label "berth.machine=$machine" \
    --network "$network" --ip "$(address_of "$machine")" "${hosts[@]}" "${options[@]}" \
    -v "$volume:/var/lib/docker" -v "$state/artifacts:/srv/berth-artifacts:ro" \
    "berth-machine:$codename" "${command[@]}" >/dev/null
  mkdir -p "$state/machines/$machine/root"
  hand_state "$machine" "$state/machines/$machine/root"
  tar -C "$state/machines/$machine/root" --owner=0 --group=0 -c . | outer cp - "$name:/"
}

# The one unit that may have failed in a machine (on trixie): loading kernel modules is the computer's affair.
readonly kMayFail='systemd-modules-load.service'

machine_wait() {
  local machine=$1 i said=''
  for ((i = 0; i < 240; i++)); do
    said=$(on "$machine" systemctl is-system-running 2>/dev/null || true)
    case $said in
      running) break ;;
      degraded) degraded_is_fine "$machine" && break ;;
    esac
    sleep 0.5
  done
  case $said in
    running) ;;
    degraded) degraded_is_fine "$machine" || die "$machine: failed units: $(failed_units "$machine")" ;;
    *) die "$machine did not boot in two minutes: $said; see: docker logs $(container_name "$machine")" ;;
  esac
  for ((i = 0; i < 120; i++)); do
    on "$machine" docker version --format x >/dev/null 2>&1 && return
    sleep 0.5
  done
  die "$machine: its engine does not answer: $(on "$machine" journalctl -u docker -n 3 --no-pager -o cat 2>&1)"
}

failed_units() { on "$1" systemctl --failed --plain --no-legend 2>/dev/null | awk '{print $1}' | tr '\n' ' '; }

degraded_is_fine() {
  local unit
  for unit in $(failed_units "$1"); do
    [[ $unit =~ ^($kMayFail)$ ]] || return 1
  done
}

# in_parallel WHAT COMMAND…: COMMAND MACHINE for each machine at once; ends the script saying WHAT went wrong if any
# fails. Not to be called where bash ignores set -e (in a condition): COMMAND relies on it.
in_parallel() {
  local what=$1 machine pid failed=0
  shift
  parallel_pids=()
  for machine in "${kMachines[@]}"; do
    ("$@" "$machine") &
    parallel_pids+=($!)
  done
  for pid in "${parallel_pids[@]}"; do wait "$pid" || failed=1; done
  parallel_pids=()
  [ "$failed" -eq 0 ] || die "$what"
}

inner_images_load() {
  local images=/srv/berth-artifacts/images
  on "$1" docker import --change 'CMD ["/bin/sleep", "1000000"]' "$images/practice.tar" berth-practice:1 >/dev/null
  on "$1" docker import --change 'CMD ["/bin/nats-server", "-c", "/etc/nats/nats.conf"]' "$images/broker.tar" \
    berth-broker:1 >/dev/null
}

# machines_remove: stopped first, for inner cgroups leak when a running machine is removed.
machines_remove() {
  local ids
  ids=$(outer ps -aq --no-trunc --filter "label=$(label)")
  # shellcheck disable=SC2086
  [ -z "$ids" ] || { outer stop -t 20 $ids && outer rm -v -f $ids; } >/dev/null
  ids=$(outer volume ls -q --filter "label=$(label)")
  # shellcheck disable=SC2086
  [ -z "$ids" ] || outer volume rm $ids >/dev/null
  ids=$(outer network ls -q --no-trunc --filter "label=$(label)")
  # shellcheck disable=SC2086
  [ -z "$ids" ] || outer network rm $ids >/dev/null
}
