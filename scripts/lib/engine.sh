# shellcheck shell=bash
# The computer's own engine (the outer one), that carries the practice machines: the one that runs here
# already, or one of our own in its own folders that engine_stop ends by its pid.

outer() { docker -H "$outer_socket" "$@"; }

socket_answers() { [ -S "$1" ] && docker -H "unix://$1" version --format x >/dev/null 2>&1; }

# engine_find FOLDER: sets outer_socket if an engine answers: the caller's, the computer's, or ours in FOLDER.
engine_find() {
  local socket
  if [ -n "${DOCKER_HOST:-}" ]; then
    [[ $DOCKER_HOST == unix://* ]] ||
      die "DOCKER_HOST is $DOCKER_HOST: the practice machines mount folders of this computer, so it must be unix://…"
    socket_answers "${DOCKER_HOST#unix://}" || die "DOCKER_HOST is $DOCKER_HOST, and no engine answers there"
    outer_socket=$DOCKER_HOST
    return
  fi
  for socket in /var/run/docker.sock "$1/docker.sock"; do
    if socket_answers "$socket"; then
      outer_socket=unix://$socket
      return
    fi
  done
  return 1
}

# engine_start FOLDER: our own engine. Its folders, socket and pid are all in FOLDER.
engine_start() {
  local folder=$1 i
  need_root "starts a container engine"
  command -v dockerd >/dev/null || die "dockerd is not installed: run scripts/setup"
  mkdir -p "$folder"
  network_remember "$folder"
  # A session of its own: Ctrl-C is for the script, which then stops the engine in order. Without the script's
  # lock, which would otherwise be held as long as the engine lives.
  (
    [ -z "${lock_fd:-}" ] || exec {lock_fd}>&-
    exec setsid dockerd --data-root "$folder/data" --exec-root "$folder/exec" -H "unix://$folder/docker.sock" \
      -p "$folder/docker.pid" >"$folder/dockerd.log" 2>&1 </dev/null
  ) &
  local pid=$!
  for ((i = 0; i < 300; i++)); do
    if socket_answers "$folder/docker.sock"; then
      outer_socket=unix://$folder/docker.sock
      return
    fi
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 5 "$folder/dockerd.log" >&2
  die "dockerd did not come up; its log is $folder/dockerd.log"
}

# engine_stop FOLDER: ends our own engine if it runs, and removes its folders.
engine_stop() {
  local folder=$1 pid
  [ -d "$folder" ] || return 0
  if [ -s "$folder/docker.pid" ]; then
    pid=$(cat "$folder/docker.pid")
    stop_pid "$pid" "$folder/exec" 60
  fi
  umount_below "$folder"
  network_restore "$folder"
  rm -rf "$folder"
}

# What an engine changes of the computer's network and leaves so when it ends: its bridge, its chains in the
# firewall, forwarding. Where an engine had left its own before, nothing is put back.
network_remember() {
  iptables-save >"$1/firewall.before" 2>/dev/null || true
  cat /proc/sys/net/ipv4/ip_forward >"$1/forward.before"
  ! ip link show docker0 >/dev/null 2>&1 || touch "$1/bridge.before"
}

network_restore() {
  local folder=$1 policy
  [ -s "$folder/forward.before" ] || return 0
  [ -e "$folder/bridge.before" ] || ip link delete docker0 2>/dev/null || true
  if grep -q DOCKER "$folder/firewall.before"; then return; fi
  policy=$(sed -n 's/^:FORWARD \([A-Z]*\).*/\1/p' "$folder/firewall.before" | sed -n '$p')
  iptables-save 2>/dev/null | grep -vE 'DOCKER|docker0' | iptables-restore 2>/dev/null || true
  iptables -P FORWARD "${policy:-ACCEPT}" 2>/dev/null || true
  cat "$folder/forward.before" >/proc/sys/net/ipv4/ip_forward
}

# Mounts an engine that was killed left behind, deepest first.
umount_below() {
  local mount
  awk -v below="$1/" 'index($5, below) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
    while read -r mount; do umount -l "$mount" 2>/dev/null || true; done
}
