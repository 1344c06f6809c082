#!/usr/bin/env bash
# own_engine.sh docker|podman FOLDER: the first process of namespaces of its own (mounts, network, processes), in which
# one engine is started and killed as the lines of the input say, "start" and "kill"; each is answered with a line. What
# the engine mounts, runs or changes of the network ends with this.
set -euo pipefail
kind=$1 folder=$2

mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs tmpfs /dev/shm # Podman's locks
mkdir -p /var/lib/cni
mount -t tmpfs tmpfs /var/lib/cni # and its addresses
ip link set lo up
printf '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n' >"$folder/containers.conf"

docker_engine() {
  rm -f /run/docker.pid
  exec dockerd --data-root "$folder/data" --exec-root /run/docker -p /run/docker.pid -H "unix://$folder/engine.sock"
}

podman_engine() {
  export CONTAINERS_CONF=$folder/containers.conf PODMAN_IGNORE_CGROUPSV1_WARNING=1
  exec podman --cgroup-manager cgroupfs --runtime runc --events-backend file --network-config-dir "$folder/networks" \
    --root "$folder/data" --runroot /run/podman-run --tmpdir /run/podman-tmp system service -t 0 "unix://$folder/engine.sock"
}

# Its containerd too: one whose dockerd is gone answers nobody, and keeps the next from starting one.
killed() {
  local supervised=/run/docker/containerd/containerd.pid
  kill -KILL "$engine" || true
  wait "$engine" 2>/dev/null || true
  [ ! -s "$supervised" ] || kill -KILL "$(cat "$supervised")" 2>/dev/null || true
  rm -f "$supervised" "$folder/engine.sock"
}

engine=0
while read -r word; do
  case $word in
    start)
      "${kind}_engine" >>"$folder/log" 2>&1 </dev/null &
      engine=$!
      ;;
    kill) killed ;;
  esac
  echo "$word"
done
