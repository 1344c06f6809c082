# shellcheck shell=bash
# What somebody wrote into each machine by hand, before berth knew it: in force from the engine's first start.

# hand_state MACHINE FOLDER: the files, below FOLDER as below the machine's /.
hand_state() {
  local machine=$1 root=$2
  mkdir -p "$root/etc/docker"
  [ -s "$state/machines/$machine/machine-id" ] ||
    tr -d - </proc/sys/kernel/random/uuid >"$state/machines/$machine/machine-id"
  cp "$state/machines/$machine/machine-id" "$root/etc/machine-id"
  "hand_state_$machine" "$root"
}

# No file at all: what the first machine's bundle left.
hand_state_alder() { :; }

# A file with one harmless key of somebody's own; the rest is written by two modules of the old host.
hand_state_birch() {
  printf '{\n    "max-concurrent-uploads": 3\n}\n' >"$1/etc/docker/daemon.json"
}

# Log rotation and a registry of its own.
hand_state_cedar() {
  cat >"$1/etc/docker/daemon.json" <<'JSON'
{
  "log-driver": "json-file",
  "log-opts": {
    "max-size": "20m",
    "max-file": "4"
  },
  "insecure-registries": ["registry.cedar.example:5000"]
}
JSON
}

# Written by three editors: tabs and blanks, two kinds of line end, none after the last line, an extra key, and
# the file is a link into another folder. It says live-restore false. Every engine reads it.
hand_state_dogwood() {
  mkdir -p "$1/srv/settings"
  printf '{\r\n\t"max-concurrent-downloads" :5,\n      "debug":false ,"live-restore":false,\r\n\t\t"shutdown-timeout":   20\n  }' \
    >"$1/srv/settings/docker-daemon.json"
  ln -s /srv/settings/docker-daemon.json "$1/etc/docker/daemon.json"
}
