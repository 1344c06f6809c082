#!/usr/bin/env bash
# A migration of the practice fleet during which runner, hosts, holders, engines and broker are killed at random (the
# seed is printed; BERTH_SEED gives it). Whatever was killed, the end is that of a migration without faults. Part of
# scripts/test --all.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
lib=$root/scripts/lib
# shellcheck source=scripts/lib/say.sh
. "$lib/say.sh"
# shellcheck source=scripts/lib/cleanup.sh
. "$lib/cleanup.sh"
# shellcheck source=scripts/lib/engine.sh
. "$lib/engine.sh"
# shellcheck source=scripts/lib/machines.sh
. "$lib/machines.sh"
# shellcheck source=scripts/lib/measure.sh
. "$lib/measure.sh"
# shellcheck source=tests/fleet/tap.sh
. "$here/tap.sh"

berth() { "$program" --store "$state/fleet.db" --fleet "$state/fleet.json" "$@"; }
pick() { printf '%s' "${@:$((RANDOM % $# + 1)):1}"; }

# Before its hand-over an engine that dies takes its containers with it, on machines without live-restore: that is
# what the migration is for, and no fault of it.
handed_over() { [ "$(host_store "$1" "SELECT count(*) FROM push WHERE kind = 'hand_over' AND state = 'applied'" 2>/dev/null)" = 1 ]; }

# struck WHAT MACHINE COMMAND…: remembers what was killed, if it was there to be killed.
struck() {
  local what=$1 machine=$2
  shift 2
  on "$machine" "$@" >/dev/null 2>&1 || return 0
  strikes+=", $what of $machine"
  kills=$((kills + 1))
}

# kill_one: one thing that is not the runner.
kill_one() {
  local machine
  machine=$(pick "${kMachines[@]}")
  case $(pick host holder engine broker) in
    host) struck host "$machine" systemctl kill -s KILL berth-host.service ;;
    holder) struck holder "$machine" systemctl kill -s KILL berth-holder.service ;;
    engine) ! handed_over "$machine" || struck engine "$machine" systemctl kill -s KILL docker.service ;;
    broker) struck broker alder docker kill -s KILL broker ;;
  esac
}

# round N: a run during which things are killed, one after the other; in every other round the runner is the last.
round() {
  local n=$1 pid i status=0
  strikes=''
  "$program" --store "$state/fleet.db" --fleet "$state/fleet.json" migrate run --yes >>"$trace" 2>&1 &
  pid=$!
  for ((i = 0; i < 8; i++)); do
    sleep "0.$((RANDOM % 10))"
    kill -0 "$pid" 2>/dev/null || break
    kill_one
  done
  if [ $((n % 2)) -eq 0 ] && kill -9 "$pid" 2>/dev/null; then
    strikes+=", the runner"
    kills=$((kills + 1))
  fi
  wait "$pid" 2>/dev/null || status=$?
  say "round $n: killed ${strikes#, }; the run ended with $status"
  over=no
  [ "$status" -ne 0 ] || over=yes
  # Systemd and the engines bring back what was killed; a run needs them.
  local machine
  for machine in "${kMachines[@]}"; do
    wait_for 60 on "$machine" systemctl is-active -q docker.service berth-host.service || true
  done
  wait_for 60 broker_runs || true
}

finish() {
  local i
  for i in 1 2 3 4 5 6; do
    run berth migrate run --yes
    [ "$ran_status" -ne 0 ] || break
    sleep 5
  done
  check "left alone, the migration comes to its end" ended_with 0
}

is_whole() {
  local machine
  for machine in "${kMachines[@]}"; do
    check "$machine: release 1.2.0" is "$(basename "$(on "$machine" readlink /opt/berth/host)")" 1.2.0
    check "$machine: handed over once" handed_over "$machine"
    check "$machine: no push is open" is "$(host_store "$machine" "SELECT count(*) FROM push WHERE state = 'accepted'")" 0
    check "$machine: no record is between two states" is "$(host_store "$machine" "SELECT count(*) FROM resource_record WHERE state <> 'applied'")" 0
    check "$machine: the engine has taken live-restore" is "$(on "$machine" docker info -f '{{.LiveRestoreEnabled}}')" true
  done
  measure "$state/measured/now"
  check "nothing but the broker was restarted" is \
    "$(restarts_between "$state/measured/start" "$state/measured/now" --except broker)" 0
  run berth migrate report "$logs/campaign.html" --output json
  check "the report tells every attempt" says '"attempts"' '"restarts": *0'
}

main() {
  settle_names
  logs=${BERTH_LOGS:-$root/build/logs}
  mkdir -p "$logs"
  trace=$logs/campaign.trace
  : >"$trace"
  program=$(find "${BERTH_BUILD:-$root/build/dev}" -type f -name berth -perm -u+x | sed -n 1p)
  [ -n "$program" ] || die "no program berth is built in ${BERTH_BUILD:-$root/build/dev}"
  [ -e "$state/up" ] || "$root/scripts/practice-fleet" up
  need_fleet
  RANDOM=${BERTH_SEED:=$(date +%s)}
  say "seed $BERTH_SEED"
  measure "$state/measured/start"
  local n over=no kills=0 strikes
  for ((n = 1; n <= ${BERTH_ROUNDS:-10} && n <= 40; n++)); do
    [ "$over" = no ] || break
    round "$n"
  done
  finish
  is_whole
  say "$kills things were killed"
  check "something was killed" test "$kills" -gt 2
  [ -n "${BERTH_KEEP_FLEET:-}" ] || "$root/scripts/practice-fleet" down --keep-image
  [ "$bad_checks" -eq 0 ]
}

main "$@"
