# shellcheck shell=bash
# What must be undone when the script ends, however it ends. Newest first; one that fails stops no other.

cleanup_list=()
parallel_pids=() # children that work at the same time; they ignore Ctrl-C, so the clean-up ends them first

# later COMMAND ARGS...: run when the script ends.
later() {
  local quoted
  printf -v quoted '%q ' "$@"
  cleanup_list+=("$quoted")
}

cleanup_run() {
  local status=$? i
  trap - EXIT
  trap '' INT TERM HUP # a second Ctrl-C must not cut the clean-up short
  set +e
  [ ${#parallel_pids[@]} -eq 0 ] || kill "${parallel_pids[@]}" 2>/dev/null
  for ((i = ${#cleanup_list[@]} - 1; i >= 0; i--)); do (eval "${cleanup_list[i]}"); done
  # A script that has a last word, defines it.
  if [ "$(type -t last_word)" = function ]; then last_word "$status"; fi
  exit "$status"
}

trap cleanup_run EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# stop_pid PID PART [SECONDS]: ends that process if its command line still holds PART (a pid may be somebody else's by now).
stop_pid() {
  local pid=$1 part=$2 wait=${3:-30} i
  is_running "$pid" "$part" || return 0
  kill "$pid" 2>/dev/null
  for ((i = 0; i < wait * 10; i++)); do
    is_running "$pid" "$part" || return 0
    sleep 0.1
  done
  warn "process $pid did not end in ${wait}s: killing it"
  kill -9 "$pid" 2>/dev/null
}

is_running() {
  [ -r "/proc/$1/cmdline" ] && { tr '\0' ' ' <"/proc/$1/cmdline"; } 2>/dev/null | grep -qF -- "$2"
}
