#!/usr/bin/env bash
# A holder whose account may not open the engine's socket, with the real sudo and a real engine. In a mount namespace
# of its own: the account, its line of sudoers and the configuration are seen in here alone, and nothing is left.
# usage: access_test.sh <berth-holder>
set -euo pipefail

skip() {
  echo "SKIPPED: $1"
  [ "${BERTH_NO_SKIP:-}" != 1 ] || exit 1
  exit 0
}
[ "$(id -u)" = 0 ] || skip "this needs root"
command -v sudo >/dev/null || skip "sudo is not installed"
[ -S "${BERTH_TEST_DOCKER:-}" ] || skip "BERTH_TEST_DOCKER names no engine's socket"

if [ "${2:-}" != inside ]; then
  exec unshare --mount --propagation private "$0" "$1" inside
fi

world=$(mktemp -d /tmp/berth-access.XXXXXX)
chmod 755 "$world"
pids=()
clean() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  umount -q /etc/berth 2>/dev/null || true
  [ -z "${engine:-}" ] || umount -q "$engine" 2>/dev/null || true
  [ -z "${made_folder:-}" ] || rmdir /etc/berth 2>/dev/null || true
  rm -rf "$world"
}
trap clean EXIT

failures=0
ok() { echo "ok - $1"; }
not_ok() {
  echo "not ok - $1"
  failures=$((failures + 1))
}
# check SENTENCE COMMAND...
check() {
  local sentence=$1
  shift
  if "$@"; then ok "$sentence"; else not_ok "$sentence"; fi
}

# The account, in copies of the machine's files.
readonly account=berth-access uid=61234
install -m 755 "$1" "$world/berth-holder"
cp /etc/passwd /etc/group /etc/shadow "$world"
echo "$account:x:$uid:$uid::/nonexistent:/usr/sbin/nologin" >>"$world/passwd"
echo "$account:x:$uid:" >>"$world/group"
echo "$account:!:19700::::::" >>"$world/shadow"
mount --bind "$world/passwd" /etc/passwd
mount --bind "$world/shadow" /etc/shadow
mount --bind "$world/group" /etc/group
mkdir "$world/sudoers.d" "$world/etc" "$world/run"
# The engine's socket where the account can walk to it: its mode and group alone decide.
engine=$world/engine.sock
touch "$engine"
mount --bind "$BERTH_TEST_DOCKER" "$engine"
mount --bind "$world/sudoers.d" /etc/sudoers.d
[ -d /etc/berth ] || { mkdir /etc/berth && made_folder=yes; }
mount --bind "$world/etc" /etc/berth
chown "$uid:$uid" "$world/run"
printf '{"machine": "alder", "engine": {"socket": "%s"}, "socket": "%s/h.sock", "socket_uids": [0, %d], "store": "%s/h.db", "seat": "%s/seat.json"}\n' \
  "$engine" "$world/run" "$uid" "$world/run" "$world/run" >/etc/berth/holder.json
chmod 644 /etc/berth/holder.json

as_account() { setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"; }
# listens: waits until the holder's socket is there, or the holder is not.
listens() {
  for ((i = 0; i < 100; i++)); do
    [ ! -S "$world/run/h.sock" ] || return 0
    kill -0 "$holder" 2>/dev/null || return 0
    sleep 0.1
  done
}
holder_start() { # OPTION...: of setpriv
  rm -f "$world/run/h.sock"
  # Not by a function: the process must be the holder itself.
  setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@" "$world/berth-holder" run --config /etc/berth/holder.json \
    >/dev/null 2>"$world/run/log" &
  holder=$!
  pids+=("$holder")
  listens
}
holder_end() {
  kill "$holder" 2>/dev/null || true
  status=0
  wait "$holder" || status=$?
}
# http METHOD PATH BODY [SOCKET]: the answer's body.
http() {
  python3 - "${4:-$world/run/h.sock}" "$1" "$2" "$3" <<'PY'
import http.client, socket, sys
path, method, target, body = sys.argv[1:]
connection = http.client.HTTPConnection("holder", timeout=30)
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.settimeout(30)
connection.sock.connect(path)
connection.request(method, target, body or None)
print(connection.getresponse().read().decode())
PY
}
ask() { http POST "/v1/$1" "$2" 2>&1 || true; }
seat() { http GET /v1/seat "" 2>&1 || true; }
says() { grep -qF -- "$2" <<<"$1"; }
logged() { grep -qF -- "$1" "$world/run/log"; }

check "the account cannot open the engine's socket by itself" \
  bash -c "! setpriv --reuid $uid --regid $uid --clear-groups python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"$engine\")' 2>/dev/null"

# Without a line of sudoers.
holder_start
answer=$(ask verbs/list '{}')
check "without a line of sudoers the refusal names socket, cause and what sudo said" \
  says "$answer" "engine socket $engine: permission (sudo -n $world/berth-holder engine-socket gave none: sudo: a password is required"
holder_end

# With it.
echo "$account ALL=(root) NOPASSWD: $world/berth-holder engine-socket" >/etc/sudoers.d/berth-holder
chmod 440 /etc/sudoers.d/berth-holder
holder_start
check "with the line the holder reaches the engine" says "$(seat)" '"answering":true'
check "and lists its containers" says "$(ask verbs/list '{}')" '"containers":'
# A changing call goes out on a connection of its own.
gone=$(ask verbs/stop '{"container": "berth-access-none"}')
check "a changing call gets its own descriptor" says "$gone" '"code":"not_found"'
check "the holder has no privilege of its own" bash -c "grep -q '^CapEff:.0*\$' /proc/$holder/status"
check "and no group of the engine's" bash -c "[ \"\$(awk '/^Groups:/ {print NF}' /proc/$holder/status)\" = 1 ]"
check "no process of sudo stays" bash -c "for ((i = 0; i < 100; i++)); do pgrep -P $holder >/dev/null || exit 0; sleep 0.1; done; exit 1"
holder_end
check "it ends cleanly" [ "$status" -eq 0 ]

# The line lets the account do this one thing.
may_not() { ! as_account sudo -n "$@" >/dev/null 2>&1; }
check "the line allows no other command of the program" may_not "$world/berth-holder" run
check "nor another configuration" may_not "$world/berth-holder" engine-socket --config /tmp/other.json
check "nor another program" may_not /bin/true
said=$(as_account sudo -n "$world/berth-holder" engine-socket 2>&1 </dev/null) && given=yes || given=no
check "whoever has no socket as standard input is given nothing" [ "$given" = no ]
check "and is told" says "$said" "standard input is no socket"
chmod 666 /etc/berth/holder.json
holder_start
check "a configuration that others may write is refused" says "$(ask verbs/list '{}')" "can be written by others than root"
holder_end
chmod 644 /etc/berth/holder.json
said=$(as_account "$world/berth-holder" engine-socket 2>&1) && given=yes || given=no
check "without root it hands over nothing" [ "$given" = no ]
check "and says that it is for root" says "$said" "engine-socket is for root"

# Under no_new_privs, as the packaged unit has it.
holder_start --no-new-privs
status=0
for ((i = 0; i < 100; i++)); do kill -0 "$holder" 2>/dev/null || break; sleep 0.1; done
if kill -0 "$holder" 2>/dev/null; then not_ok "under no_new_privs it ends by itself"; else ok "under no_new_privs it ends by itself"; fi
wait "$holder" || status=$?
check "with the status of what is unreachable" [ "$status" -eq 4 ]
check "saying that sudo cannot help" logged "under no_new_privs sudo cannot help: it ends, to be started anew with the groups its account has now"

# As systemd starts it again: with the group.
group=$(stat -c %g "$engine")
if [ $((0$(stat -c %a "$engine") & 060)) -eq 48 ]; then
  rm -f "$world/run/h.sock" # a holder that ended by itself may have left it
  setpriv --reuid "$uid" --regid "$uid" --groups "$group" --no-new-privs "$world/berth-holder" run --config /etc/berth/holder.json >/dev/null 2>"$world/run/log" &
  holder=$!
  pids+=("$holder")
  listens
  check "started anew with the socket's group it reaches the engine" says "$(seat)" '"answering":true'
  holder_end
fi

# As root it never asks: a sudo of ours in the way would say so.
mkdir "$world/bin"
printf '#!/bin/sh\ntouch %s/asked\nexit 1\n' "$world" >"$world/bin/sudo"
chmod 755 "$world/bin/sudo"
rm -f "$world/run/h.sock"
PATH=$world/bin:$PATH "$world/berth-holder" run --config /etc/berth/holder.json >/dev/null 2>"$world/run/log" &
holder=$!
pids+=("$holder")
listens
check "a holder that is root reaches the engine" says "$(seat)" '"answering":true'
holder_end
check "a holder that is root never asks" [ ! -e "$world/asked" ]

[ "$failures" -eq 0 ] || exit 1
