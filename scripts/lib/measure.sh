# shellcheck shell=bash
# What the machines' own engines say, asked past berth: so that what berth says of itself can be checked.

# measure FOLDER: one file a machine, a line a running container: id, name, pid, started_at, restarts.
measure() {
  local machine
  mkdir -p "$1"
  for machine in "${kMachines[@]}"; do
    on "$machine" sh -c 'docker ps -q --no-trunc | xargs -r docker inspect -f \
      "{{.Id}} {{.Name}} {{.State.Pid}} {{.State.StartedAt}} {{.RestartCount}}"' >"$1/$machine"
  done
}

# restarts_between FOLDER FOLDER [--except NAME…]: over all machines.
restarts_between() {
  local before=$1 after=$2 machine sum=0 one
  shift 2
  for machine in "${kMachines[@]}"; do
    one=$(python3 "$lib/restarts.py" "$before/$machine" "$after/$machine" "$@")
    sum=$((sum + one))
  done
  echo "$sum"
}

# host_store MACHINE SELECT: asks the host's own store, only to read.
host_store() { on "$1" sqlite3 -readonly -cmd '.timeout 5000' /var/lib/berth/host.db "$2"; }

# The path that the newest report in the host's own store names.
machine_path() {
  local path=''
  if on "$1" test -e /var/lib/berth/host.db 2>/dev/null; then
    path=$(host_store "$1" 'SELECT path FROM apply_report ORDER BY at DESC LIMIT 1' 2>/dev/null || true)
  fi
  echo "${path:--}"
}

# wait_for SECONDS COMMAND…: until it succeeds, asking every half second.
wait_for() {
  local seconds=$1 i
  shift
  for ((i = 0; i < seconds * 2; i++)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.5
  done
  return 1
}

broker_runs() { [ -n "$(on alder docker ps -q --filter name=^broker\$)" ]; }
outbox_is_empty() { [ "$(host_store "$1" 'SELECT count(*) FROM outbox')" = 0 ]; }
last_report() { host_store "$1" 'SELECT coalesce(max(seq), 0) FROM apply_report'; }
reported_after() { [ "$(last_report "$1")" -gt "$2" ]; }

# broker_outage: the broker's container goes while alder's host is away, so long that every other host has
# something to report; then alder's host, which finds the bus down, must bring it back.
broker_outage() {
  local machine began=$SECONDS
  local -A before
  for machine in "${kMachines[@]}"; do before[$machine]=$(last_report "$machine"); done
  on alder systemctl stop berth-host.service
  on alder docker rm -f broker >/dev/null
  for machine in birch cedar dogwood; do
    wait_for 60 reported_after "$machine" "${before[$machine]}" || { fail "$machine made no report while the bus was away"; return 1; }
  done
  say "the broker is gone for $((SECONDS - began)) s; birch, cedar and dogwood have queued what they have to report"
  on alder systemctl start berth-host.service
  wait_for 90 broker_runs || { fail "alder's host did not bring the broker back"; return 1; }
  say "alder's host brought it back, path: $(machine_path alder)"
  for machine in "${kMachines[@]}"; do
    wait_for 90 outbox_is_empty "$machine" || { fail "$machine: reports still wait in its outbox"; return 1; }
  done
}
