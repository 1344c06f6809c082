# shellcheck shell=bash
# Checks as lines: "ok - …" or "not ok - …" on stdout, what a failed one saw on stderr.

bad_checks=0

# check SENTENCE COMMAND…: the sentence holds if the command succeeds.
check() {
  local sentence=$1 said status=0
  shift
  said=$("$@" 2>&1) || status=$?
  if [ "$status" -eq 0 ]; then
    echo "ok - $sentence"
    return
  fi
  echo "not ok - $sentence"
  bad_checks=$((bad_checks + 1))
  printf '  # %s ended with %d\n' "$*" "$status" >&2
  printf '%s\n' "$said" | tail -n 15 | sed 's/^/  # /' >&2
}

# is GOT WANTED: says where they differ.
is() { [ "$1" = "$2" ] || { diff -u --label wanted --label got <(printf '%s\n' "$2") <(printf '%s\n' "$1"); return 1; }; }

# says PATTERN…: the last run's output has a match of each (case does not matter).
says() {
  local pattern
  for pattern in "$@"; do
    grep -qiE -- "$pattern" <<<"$ran_out" || { printf 'nothing matches "%s" in:\n%s\n' "$pattern" "$ran_out"; return 1; }
  done
}

# run COMMAND…: keeps its output in ran_out and its status in ran_status.
run() {
  ran_status=0
  ran_out=$("$@" 2>&1) || ran_status=$?
  printf '$ %s\n%s\n[%d]\n' "$*" "$ran_out" "$ran_status" >>"$trace"
}

ended_with() {
  local wanted
  for wanted in "$@"; do [ "$ran_status" -eq "$wanted" ] && return; done
  printf 'it ended with %d, not %s:\n%s\n' "$ran_status" "$*" "$ran_out"
  return 1
}
