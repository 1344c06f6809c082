# shellcheck shell=bash
# A Podman that serves its API from folders of its own, for the tests that ask two engines the same.

# podman_start FOLDER: sets podman_socket.
podman_start() {
  local folder=$1 i
  mkdir -p "$folder"
  printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n' >"$folder/containers.conf"
  podman_socket=$folder/podman.sock
  # Its conmon leaves a file in the folder that it was started in, for a container that memory ran out for.
  (cd "$folder" && CONTAINERS_CONF=$folder/containers.conf exec setsid podman --cgroup-manager cgroupfs --runtime runc \
    --events-backend file --root "$folder/root" --runroot "$folder/run" --tmpdir "$folder/tmp" \
    system service -t 0 "unix://$podman_socket") >"$folder/podman.log" 2>&1 </dev/null &
  echo $! >"$folder/podman.pid"
  for ((i = 0; i < 150; i++)); do
    socket_pings "$podman_socket" && return
    sleep 0.2
  done
  tail -n 5 "$folder/podman.log" >&2
  die "podman did not come up; its log is $folder/podman.log"
}

# Asks an engine's socket for its ping; curl the program is not among what set-up installs.
socket_pings() {
  python3 - "$1" <<'PY' 2>/dev/null
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(3)
s.connect(sys.argv[1])
s.sendall(b"GET /_ping HTTP/1.0\r\nHost: engine\r\n\r\n")
sys.exit(0 if b" 200 " in s.recv(64) else 1)
PY
}

podman_stop() {
  local folder=$1
  [ -d "$folder" ] || return 0
  [ ! -s "$folder/podman.pid" ] || stop_pid "$(cat "$folder/podman.pid")" "$folder/podman.sock"
  umount_below "$folder"
  rm -rf "$folder"
}
