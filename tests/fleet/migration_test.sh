#!/usr/bin/env bash
# A migration of the practice fleet, looked at from outside: every check asks the machines' own engines, files and
# stores. Prints "ok - …" and "not ok - …" lines; exit status 0 only if none is "not ok".
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$(dirname "$here")")
lib=$root/scripts/lib
# shellcheck source=scripts/lib/say.sh
. "$lib/say.sh"
# shellcheck source=scripts/lib/cleanup.sh
. "$lib/cleanup.sh"
# shellcheck source=scripts/lib/debian.sh
. "$lib/debian.sh"
# shellcheck source=scripts/lib/engine.sh
. "$lib/engine.sh"
# shellcheck source=scripts/lib/machines.sh
. "$lib/machines.sh"
# shellcheck source=scripts/lib/measure.sh
. "$lib/measure.sh"
# shellcheck source=tests/fleet/tap.sh
. "$here/tap.sh"

berth() { "$program" --store "$state/fleet.db" --fleet "$state/fleet.json" "$@"; }
# berth_with FLEET COMMAND…: with a store of its own, so that the real ledger never hears of it.
berth_with() {
  local fleet=$1
  shift
  rm -f "$state/other.db"*
  "$program" --store "$state/other.db" --fleet "$fleet" "$@"
}

# What a refusal must leave alone: the engine's file as it is (link, mode, bytes) and the host's records.
look_at() {
  on "$1" sh -c 'ls -l --time-style=+%s "$(readlink -f /etc/docker/daemon.json)" 2>&1; readlink -f /etc/docker/daemon.json
    sha256sum /etc/docker/daemon.json 2>&1'
  host_store "$1" 'SELECT id, origin, state, declared, found FROM resource_record ORDER BY id'
}
look_at_all() {
  local machine
  for machine in "${kMachines[@]}"; do look_at "$machine"; done
}
unchanged() { is "$(look_at_all)" "$seen_at_start"; }

start_state() {
  local machine
  for machine in "${kMachines[@]}"; do
    check "$machine: the start release's host runs" on "$machine" systemctl is-active -q berth-host.service
    check "$machine: its newest report says path cli" wait_for 60 path_is "$machine" cli
    check "$machine: it holds containers" has_containers "$machine" held 2
    check "$machine: it has strays" has_containers "$machine" stray 3
  done
  check "alder: the bundle's records are carried" is \
    "$(host_store alder "SELECT group_concat(id) FROM (SELECT id FROM resource_record WHERE origin = 'carried' ORDER BY id)")" \
    container-runtime,container-runtime-running
  local resolver
  resolver=$(address_of alder)
  check "birch: its resolver is in force in a container" on birch docker exec web grep -qw "nameserver ${resolver:?}" /etc/resolv.conf
}

path_is() { [ "$(machine_path "$1")" = "$2" ]; }
has_containers() {
  local held all
  held=$(on "$1" docker ps -aq --filter label=mesh-host.id | wc -l)
  all=$(on "$1" docker ps -aq | wc -l)
  case $2 in held) [ "$held" -ge "$3" ] ;; stray) [ $((all - held)) -ge "$3" ] ;; esac
}

# change_fleet PYTHON: the fleet document with something done to it, beside the real one.
change_fleet() {
  python3 -c "
import json, sys
fleet = json.load(open(sys.argv[1]))
$1
json.dump(fleet, open(sys.argv[2], 'w'))" "$state/fleet.json" "$state/changed.json"
}

refusals() {
  change_fleet "fleet['machnes'] = fleet.pop('machines')"
  run berth_with "$state/changed.json" migrate run --yes
  check "a wrong fleet file is refused naming file and member" says 'changed\.json' machines
  check "… and not with success" ended_with 1 2 3
  change_fleet "fleet['machines']['dogwood'].pop('settings')"
  run berth_with "$state/changed.json" migrate run --yes
  check "an undecided difference stops the run, naming machine and key" says dogwood live-restore
  check "… as a refusal" ended_with 3
  on dogwood systemctl stop berth-host.service
  run berth_with "$state/fleet.json" migrate run --yes --to-step 2
  check "an unreachable machine is named" says dogwood
  check "… and the run does not succeed" ended_with 1 3 4
  on dogwood systemctl start berth-host.service
  refused_file
  refused_flag
  check "none of the refused changed a file or a record" unchanged
}

# The engine's file on cedar, broken for a moment. Trailing text: one engine takes it and the other does not.
refused_file() {
  on cedar sh -c 'cp -p /etc/docker/daemon.json /root/kept.json; echo "} oops" >>/etc/docker/daemon.json'
  run berth_with "$state/fleet.json" migrate run --yes --to-step 2
  check "an unparsable daemon.json is refused naming machine, file and line" says cedar daemon.json 'line|[0-9]+:[0-9]+'
  check "… and the run does not succeed" ended_with 1 3
  on cedar sh -c 'cp -p /root/kept.json /etc/docker/daemon.json; rm /root/kept.json'
}

refused_flag() {
  on dogwood sh -c "echo 'DOCKER_OPTS=\"--live-restore=true\"' >>/etc/default/docker"
  run berth_with "$state/fleet.json" migrate run --yes --to-step 2
  check "a key that is also a flag is refused naming machine and flag" says dogwood live-restore '/etc/default/docker'
  check "… and the run does not succeed" ended_with 1 3
  on dogwood sed -i '$d' /etc/default/docker
}

plan() {
  run berth migrate plan
  check "plan succeeds" ended_with 0
  check "plan shows what each machine's file becomes" says alder birch cedar dogwood '\+.*live-restore' registry.mesh:5000
  check "plan changes nothing" unchanged
}

hand_over() {
  local pid status
  look_at birch >"$state/birch.before"
  berth migrate run --yes --to-step 2 >"$state/run-2.log" 2>&1 &
  pid=$!
  sleep 0.5
  run berth migrate run --yes --to-step 2
  check "a second runner is refused" ended_with 1 3
  check "… and told who runs" says 'run|hold'
  status=0
  wait "$pid" || status=$?
  check "steps 1 and 2 are done on four machines" is "$status" 0
  cat "$state/run-2.log" >>"$trace"
  after_hand_over
}

after_hand_over() {
  local machine
  for machine in "${kMachines[@]}"; do
    check "$machine: the file says live-restore and trusts the store" file_says "$machine"
    check "$machine: the engine has taken live-restore" is "$(on "$machine" docker info -f '{{.LiveRestoreEnabled}}')" true
    check "$machine: the holder runs" on "$machine" systemctl is-active -q berth-holder.service
  done
  check "birch: dns is gone from the file, the key by hand is not" on birch sh -c \
    '! grep -q dns /etc/docker/daemon.json && grep -q max-concurrent-uploads /etc/docker/daemon.json'
  check "birch: dnsmasq runs, and will after a boot" on birch sh -c "systemctl is-active -q dnsmasq && systemctl is-enabled -q dnsmasq"
  check "cedar: its own registry and log rotation are still there" on cedar sh -c \
    'grep -q registry.cedar.example:5000 /etc/docker/daemon.json && grep -q max-file /etc/docker/daemon.json'
  check "dogwood: the file is still a link, with its line ends" on dogwood sh -c \
    'test -L /etc/docker/daemon.json && grep -q "$(printf "\r")" /srv/settings/docker-daemon.json'
  check "alder: its package has two origins" is \
    "$(host_store alder "SELECT count(DISTINCT origin) FROM resource_record WHERE type = 'package' AND declared LIKE '%docker.io%'")" 2
}

file_says() {
  on "$1" cat /etc/docker/daemon.json | python3 -c '
import json, sys
file = json.load(sys.stdin)
assert file["live-restore"] is True, file
assert "registry.mesh:5000" in file["insecure-registries"], file'
}

# A file given back has every byte, its mode and its owner again; when it was written is not among them.
without_times() { sed -E 's/^(-[^/]*) [0-9]{10} /\1 /'; }

back_out() {
  run berth migrate back-out --yes --to-step 2 --machine birch
  check "step 2 is backed out on birch" ended_with 0
  check "birch: every byte and every record is as found" is \
    "$(look_at birch | without_times)" "$(without_times <"$state/birch.before")"
  check "birch: dnsmasq is stopped again, and its package stays" on birch sh -c "! systemctl is-active -q dnsmasq && dpkg -s dnsmasq"
  check "birch: nothing was restarted by it" is "$(restarts_between_start)" 0
  run berth migrate run --yes --to-step 2
  check "step 2 is done on birch again" ended_with 0
}

restarts_between_start() {
  measure "$state/measured/now"
  restarts_between "$state/measured/start" "$state/measured/now" "$@"
}

# The program itself in the background: a function there would be a shell, and its death leave the runner at work.
killed_runner() {
  "$program" --store "$state/fleet.db" --fleet "$state/fleet.json" migrate run --yes --to-step 3 >>"$trace" 2>&1 &
  local pid=$!
  sleep 1.5
  kill -9 "$pid" 2>/dev/null || true
  wait "$pid" 2>/dev/null || true
  run berth migrate run --yes --to-step 3
  check "after kill -9 of the runner the next run ends step 3" ended_with 0
  run berth seats --output json
  check "the seat is held on four machines" says alder birch cedar dogwood node-container-runtime
}

live_calls() {
  on cedar docker run -d --name by-hand berth-practice:1 /bin/sleep 1000000 >/dev/null
  check "a container started by hand arrives as an event on the bus" wait_for 20 event_names cedar by-hand
  run berth call cedar list --output json
  check "the seat's list shows held containers and strays" says '"web"' by-hand devbox
  run berth call cedar remove container=web
  check "removing a held container is refused naming the assignment" says refused_held\|held web
  check "… and not with success" ended_with 1 3
  run berth call cedar remove container=by-hand force=true
  check "a stray is the caller's to remove" ended_with 0
  run berth call cedar inspect container=devbox-db-1 --output json
  check "inspect names environment and never its values" says PASSWORD
  check "… no value" eval '! grep -q not-to-be-shown <<<"$ran_out"'
}
event_names() { berth events --machine "$1" --output json 2>&1 | grep -q "$2"; }

release_host() {
  run berth migrate run --yes --to-step 4
  check "step 4 is done" ended_with 0
  local machine
  for machine in "${kMachines[@]}"; do
    check "$machine: release 1.1.0 by the holder's path" wait_for 60 path_is "$machine" holder
    check "$machine: the link names 1.1.0" is "$(basename "$(on "$machine" readlink /opt/berth/host)")" 1.1.0
  done
}

# A machine whose holder is away: its host makes nothing and says so; step 5 does not begin. A host starts the
# holder's unit again at each apply, so a condition keeps it from running.
silent_holder() {
  local before
  on cedar sh -c 'mkdir -p /run/systemd/system/berth-holder.service.d
    printf "[Unit]\nConditionPathExists=/run/no-such-file\n" >/run/systemd/system/berth-holder.service.d/away.conf
    systemctl daemon-reload && systemctl stop berth-holder.service'
  on cedar docker rm -f web-clock >/dev/null
  before=$(last_report cedar)
  check "cedar: with the holder away its host reports path none" wait_for 60 path_is cedar none
  wait_for 60 reported_after cedar $((before + 1)) || true
  check "cedar: its host made nothing meanwhile" is "$(on cedar docker ps -aq --filter 'name=^web-clock$')" ''
  check "cedar: the report names the seat" newest_report_has cedar node-container-runtime
  run berth migrate run --yes
  check "step 5 refuses" ended_with 3 1
  check "… naming cedar" says cedar
  check "no machine has begun step 5" is "$(releases_in_use)" '1.1.0 1.1.0 1.1.0 1.1.0 '
  on cedar sh -c 'rm /run/systemd/system/berth-holder.service.d/away.conf && systemctl daemon-reload'
  check "cedar: the holder back, its host makes what is missing" wait_for 90 runs_on cedar web-clock
  check "nothing else was restarted" is "$(restarts_between_start --except web-clock)" 0
}
newest_report_has() { host_store "$1" 'SELECT body FROM apply_report ORDER BY at DESC LIMIT 1' | grep -q "$2"; }
runs_on() { [ -n "$(on "$1" docker ps -q --filter "name=^$2\$")" ]; }
gone_from() { [ "$(on "$1" sh -c "docker info >/dev/null && docker ps -aq --filter name=^$2\\$ | wc -l")" = 0 ]; }
releases_in_use() {
  local machine
  for machine in "${kMachines[@]}"; do printf '%s ' "$(basename "$(on "$machine" readlink /opt/berth/host)")"; done
}

# bad_release VERSION DEADLINE SCRIPT: 1.2.0 with that script where its host is, signed as any release, in changed.json.
bad_release() {
  local version=$1 folder file platform sum
  platform=$(debian_platform "$(debian_codename)")
  folder=$(mktemp -d "$state/bad.XXXXXX")
  file=berth-$version-$platform.tar.gz
  tar -C "$folder" -xzf "$state/artifacts/berth-1.2.0-$platform.tar.gz"
  mv "$folder/bin/berth-host" "$folder/bin/real"
  printf '#!/bin/sh\n%s\n' "$3" >"$folder/bin/berth-host"
  chmod 755 "$folder/bin/berth-host"
  sed -i "s/\"1\.2\.0\"/\"$version\"/" "$folder/release.json"
  tar -C "$folder" -czf "$state/artifacts/$file" bin release.json
  rm -r "$folder"
  sum=$(sha256sum "$state/artifacts/$file" | cut -d ' ' -f 1)
  printf %s "$sum" >"$state/sum"
  change_fleet "fleet['release_deadline_s'] = $2
fleet['releases']['without_cli'] = {'version': '$version', 'platforms': {'$platform': {
  'artifact': 'file:///srv/berth-artifacts/$file', 'sha256': '$sum',
  'signature': '$(openssl pkeyutl -sign -inkey "$state/secrets/release-key.pem" -rawin -in "$state/sum" | base64 -w 0)'}}}"
}

# rolled_back WHAT VERSION DEADLINE SCRIPT REASON: that release on cedar, whose host is 1.1.0.
rolled_back() {
  bad_release "$2" "$3" "$4"
  run "$program" --store "$state/fleet.db" --fleet "$state/changed.json" migrate run --yes --machine cedar
  check "cedar: a release that $1 is rolled back by itself, and the run says why" says 'switched back to 1\.1\.0' "$2 did not prove itself; $5"
  check "… and fails" ended_with 1
  check "cedar: … the link names 1.1.0" is "$(basename "$(on cedar readlink /opt/berth/host)")" 1.1.0
  check "cedar: … whose host applies again" wait_for 60 path_is cedar holder
}

bad_releases() {
  local began=$SECONDS
  rolled_back "crashes at its start" 1.2.1 300 'case "$*" in *run*) echo "a library is missing" >&2; exit 127;; esac; exec "${0%/*}/real" "$@"' \
    'it does not stay up: its unit is failed \(failed\), last end exit-code 127, restarted [0-9]+ times; it said: .*a library is missing'
  rolled_back "says it is another version" 1.2.2 300 'exec /opt/berth/releases/1.1.0/bin/berth-host "$@"' \
    'the host that runs says it is 1\.1\.0, not 1\.2\.2'
  check "neither waits for its deadline" test $((SECONDS - began)) -lt 300
  rolled_back "hangs" 1.2.3 40 'case "$*" in *run*) exec sleep 1000000;; esac; exec "${0%/*}/real" "$@"' \
    'it runs and does not say that it is there: it hangs in its start'
  check "no container was restarted by it" is "$(restarts_between_start --except web-clock)" 0
}

remove_cli_path() {
  check "the fleet gets over the loss of its broker, and every queued report is sent" broker_outage
  run berth migrate run --yes
  check "step 5 is done" ended_with 0
  local machine
  for machine in "${kMachines[@]}"; do
    check "$machine: release 1.2.0 by the holder's path" wait_for 60 path_is "$machine" holder
    check "$machine: the report says cli_path absent" newest_report_has "$machine" '"cli_path" *: *"absent"'
    check "$machine: every report of its host is in the operator's store" reports_arrived "$machine"
  done
  check "the whole migration restarted nothing" is "$(restarts_between_start --except broker web-clock)" 0
}

# Every report the host's store has, up to the newest the operator has taken, is with the operator.
reports_arrived() {
  local theirs ours newest
  newest=$(sqlite3 -readonly "$state/fleet.db" "SELECT max(seq) FROM apply_report WHERE machine = '$1'")
  theirs=$(host_store "$1" "SELECT count(*) FROM apply_report WHERE seq <= $newest")
  ours=$(sqlite3 -readonly "$state/fleet.db" "SELECT count(*) FROM apply_report WHERE machine = '$1'")
  is "$ours" "$theirs"
}

audits() {
  local machine
  run berth audit held_containers --output json
  check "the audit of held containers names each machine's" says alder birch cedar dogwood broker web-clock
  run berth audit strays --output json
  check "the audit of strays names a compose project's and one started by hand" says devbox-db-1 maintenance scratch
  run berth audit engine_keys --output json
  check "the audit of keys says who owns them, by module and by hand" says live-restore insecure-registries hand docker
  run berth migrate status
  check "status says that the migration is over" ended_with 0
  run berth migrate report "$state/report.html"
  check "the report says why each release went back" grep -q 'a library is missing' "$state/report.html"
  check "… the one of another version too" grep -q 'says it is 1.1.0, not 1.2.2' "$state/report.html"
}

# push_watcher SOURCE: cedar with one more module, whose container mounts that path of the machine.
push_watcher() {
  cat >"$state/modules/watcher.json" <<JSON
{"name": "watcher", "claims": [], "capabilities": [], "settings": {}, "tools": [], "resources": [
  {"id": "watcher", "type": "container", "spec": {"name": "watcher", "image": "berth-practice:1", "command": ["/bin/sleep", "1000000"],
   "volumes": [{"type": "bind", "source": "$1", "target": "/engine"}], "stop_grace_period": "0s"}}]}
JSON
  change_fleet "fleet['manifests'].append('modules/watcher.json'); fleet['machines']['cedar']['modules'].append('watcher')"
  declare_cedar "$state/changed.json"
}

# declare_cedar FLEET: the catalogue takes the document, and cedar is sent what is in it now.
declare_cedar() {
  run "$program" --store "$state/fleet.db" --fleet "$1" catalogue import
  check "cedar: the catalogue takes what is declared" ended_with 0
  run "$program" --store "$state/fleet.db" --fleet "$1" push cedar
}

# No name gives these binds away: what they lead to is for the machine to say.
engine_sockets() {
  on cedar sh -c 'ln -sf /run/containerd/containerd.sock /srv/another; ln -sf /run/docker.sock /srv/stated'
  push_watcher /srv/another
  check "cedar: a bind that leads to another engine's socket is refused naming both" wait_for 60 newest_report_has cedar \
    'mounts the engine socket /srv/another (which is /run/containerd/containerd.sock), but the holder of node-container-runtime states [a-z/]*/docker.sock'
  check "cedar: … and no container is made" is "$(on cedar sh -c 'docker info >/dev/null && docker ps -aq --filter name=^watcher\$ | wc -l')" 0
  push_watcher /srv/stated
  check "cedar: one that leads to the stated socket is made" wait_for 60 runs_on cedar watcher
  declare_cedar "$state/fleet.json"
  check "cedar: no longer declared, it goes" wait_for 60 gone_from cedar watcher
}

kept_by_prune() {
  on cedar sh -c 'docker ps -aq --no-trunc | sort; docker volume ls -q | sort; docker image ls -q --no-trunc --filter dangling=false | sort'
}

# The second image takes the name of the first, which then has none.
weekly_prune() {
  local dangling kept
  dangling=$(on cedar sh -c 'tar -C /etc -c hostname | docker import - berth-prune:1; tar -C /etc -c hosts | docker import - berth-prune:1' | sed -n 1p)
  kept=$(kept_by_prune)
  check "cedar: the weekly prune's timer waits a random time of an hour, and makes up for a missed run" is \
    "$(on cedar systemctl show -p ActiveState -p UnitFileState -p RandomizedDelayUSec -p Persistent docker-prune.timer | sort)" \
    "$(printf '%s\n' ActiveState=active Persistent=yes RandomizedDelayUSec=1h UnitFileState=enabled)"
  check "cedar: a dangling image is there" on cedar docker image inspect "$dangling"
  check "cedar: the weekly prune runs" on cedar systemctl start docker-prune.service
  check "cedar: … and takes the dangling image" on cedar sh -c "! docker image inspect $dangling"
  check "cedar: … and no container, no volume and no image with a name" is "$(kept_by_prune)" "$kept"
}

# The operator's store is lost after the last step. What the machines and the streams say is enough to go on, and to give
# a machine back what was found there before the first step.
lost_store() {
  rm -f "$state"/fleet.db*
  run berth migrate run --yes
  check "a run on a new store hands no machine over again, and says what makes the lost one anew" says \
    'alder was handed over before' 'dogwood was handed over before' 'berth store rebuild'
  check "… as a refusal" ended_with 3
  rm -f "$state"/fleet.db*
  run berth store rebuild
  check "a lost store is made anew from what the machines say" ended_with 0
  check "… and says what is not in it" says 'audit lost'
  run berth migrate status
  check "… all five steps are done in it" says 'remove-cli-path +done 4'
  local step
  for step in 5 4 3 2 1; do
    run berth migrate back-out --yes --to-step "$step" --machine dogwood
    check "dogwood: step $step is backed out from it" ended_with 0
  done
  check "dogwood: every byte and every record is as found" is \
    "$(look_at dogwood | without_times)" "$(without_times <"$state/dogwood.before")"
  check "dogwood: the release it began with runs" is "$(basename "$(on dogwood readlink /opt/berth/host)")" 1.0.0
  check "nothing was restarted by it" is "$(restarts_between_start --except broker web-clock)" 0
}

down() {
  "$root/scripts/practice-fleet" down
  check "down leaves no container" is "$(outer ps -aq --filter "label=berth.practice=$state")" ''
  check "down leaves no volume" is "$(outer volume ls -q --filter "label=berth.practice=$state")" ''
  check "down leaves no network" is "$(outer network ls -q --filter "label=berth.practice=$state")" ''
  check "down leaves no state folder" test ! -e "$state"
}

keep_what_helps() {
  local machine
  [ -e "$state/up" ] || return 0
  for machine in "${kMachines[@]}"; do
    on "$machine" journalctl --no-pager -u berth-host -u berth-holder -u berth-release-watch >"$logs/$machine.journal" 2>&1
    on "$machine" cat /var/lib/berth/host.db >"$logs/$machine-host.db" 2>/dev/null
  done
  cp "$state/fleet.db" "$logs/" 2>/dev/null
}

main() {
  settle_names
  logs=${BERTH_LOGS:-$root/build/logs}
  mkdir -p "$logs"
  trace=$logs/migration.trace
  : >"$trace"
  program=$(find "${BERTH_BUILD:-$root/build/dev}" -type f -name berth -perm -u+x | sed -n 1p)
  [ -n "$program" ] || die "no program berth is built in ${BERTH_BUILD:-$root/build/dev}"
  [ -e "$state/up" ] || "$root/scripts/practice-fleet" up
  need_fleet
  later keep_what_helps
  measure "$state/measured/start"
  seen_at_start=$(look_at_all)
  look_at dogwood >"$state/dogwood.before"
  for part in start_state refusals plan hand_over back_out killed_runner live_calls release_host silent_holder bad_releases \
    remove_cli_path audits engine_sockets weekly_prune lost_store down; do
    "$part"
  done
  [ "$bad_checks" -eq 0 ]
}

main "$@"
