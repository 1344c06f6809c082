# shellcheck shell=bash
# The engines of every supported Debian side by side: Docker 20.10 and Podman 4.3 of bookworm, 26.1 and 5.4 of
# trixie, 28 and 5.8 of sid. This computer's own release is served by engine.sh and podman.sh; each other
# release is a tree of its packages, kept in the cache, in which its engines run within namespaces of their own:
# what they mount, change of the network or leave running ends with them.

matrix_releases="bookworm trixie sid"

matrix_packages() {
  echo docker.io runc crun containerd podman conmon netavark aardvark-dns iptables nftables iproute2 busybox-static ca-certificates procps
  [ "$1" = bookworm ] || echo docker-cli
}

# matrix_tree CODENAME: sets matrix_tree_found, a tree that has the engines of that release.
matrix_tree() {
  local tree=$cache/engines-$1
  [ -d "$tree" ] || tree_make "$1" "$tree"
  # A mirror that stands still serves a sid whose release file has run out.
  [ "$1" != sid ] || echo 'Acquire::Check-Valid-Until "false";' >"$tree/etc/apt/apt.conf.d/50berth"
  # shellcheck disable=SC2046
  tree_install "$tree" $(matrix_packages "$1")
  matrix_tree_found=$tree
}

# engine_of_tree KIND TREE FOLDER: that engine with its socket FOLDER/<kind>.sock; comes back when it is killed.
engine_of_tree() {
  local kind=$1 tree=$2 folder=$3 i
  mkdir -p "$folder"
  setsid unshare --mount --net --pid --fork --kill-child --propagation private \
    bash "$lib/engine_in_tree" "$kind" "$tree" "$folder" >"$folder/$kind.log" 2>&1 </dev/null &
  echo $! >"$folder/$kind.unshare"
  for ((i = 0; i < 300; i++)); do
    if socket_pings "$folder/$kind.sock"; then return; fi
    kill -0 "$!" 2>/dev/null || break
    sleep 0.2
  done
  tail -n 5 "$folder/$kind.log" >&2
  die "$kind of $tree did not come up; its log is $folder/$kind.log"
}

# matrix_start FOLDER: sets matrix_sockets, those of all releases but this computer's own, separated by colons.
matrix_start() {
  local folder=$1 codename kind version
  matrix_sockets=''
  for codename in $matrix_releases; do
    [ "$codename" != "$(debian_codename)" ] || continue
    matrix_tree "$codename"
    for kind in docker podman; do
      engine_of_tree "$kind" "$matrix_tree_found" "$folder/$codename"
      matrix_sockets+=${matrix_sockets:+:}$folder/$codename/$kind.sock
      version=$(socket_version "$folder/$codename/$kind.sock")
      good "$kind $version of $codename at $folder/$codename/$kind.sock"
    done
  done
}

socket_version() {
  python3 - "$1" <<'PY'
import http.client, json, socket, sys
class Unix(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(sys.argv[1])
c = Unix("engine")
c.request("GET", "/version")
print(json.load(c.getresponse())["Version"])
PY
}

# still_runs_after SECONDS PID
still_runs_after() {
  local i
  for ((i = 0; i < $1 * 10; i++)); do
    is_running "$2" engine_in_tree || return 1
    sleep 0.1
  done
}

# matrix_stop FOLDER: ends the engines of trees below it. The first process of a namespace takes all others along,
# and with them every mount.
matrix_stop() {
  local file
  for file in "$1"/*/*.unshare "$1"/*/*/*.unshare; do
    [ -s "$file" ] || continue
    # unshare itself does not heed a signal: its child does, and ends the engine in order.
    pkill -TERM -P "$(cat "$file")" 2>/dev/null || true
    still_runs_after 10 "$(cat "$file")" || { rm -f "$file"; continue; }
    kill -9 "$(cat "$file")" 2>/dev/null || true
    rm -f "$file"
  done
}
