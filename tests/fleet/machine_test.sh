#!/usr/bin/env bash
# The cases that need a machine of their own, its service manager and its engine to change: run inside a practice
# machine, where nothing they break is anybody's. Prints "ok - …" and "not ok - …" lines, one a case.
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
# shellcheck source=scripts/lib/image.sh
. "$lib/image.sh"
# shellcheck source=scripts/lib/machines.sh
. "$lib/machines.sh"
# shellcheck source=scripts/lib/hand_state.sh
. "$lib/hand_state.sh"

machine_remove() {
  outer rm -f -v "$name" >/dev/null 2>&1 || true
  outer volume rm "$name-docker" >/dev/null 2>&1 || true
  [ -z "$started" ] || engine_stop "$state/engine"
}

# machine_up: one machine as the fleet's are, with nothing of berth on it.
machine_up() {
  local codename options command
  codename=$(debian_codename)
  image_ensure "$codename" >&2
  mapfile -t options < <(machine_options)
  mapfile -t command < <(machine_command "$codename")
  outer volume create --label "$(label)" "$name-docker" >/dev/null
  outer run -d --name "$name" --hostname elm --label "$(label)" "${options[@]}" -v "$name-docker:/var/lib/docker" \
    "berth-machine:$codename" "${command[@]}" >/dev/null
}

# cases_of PROGRAM TAG: its cases of that tag, run in the machine; a line each from its JUnit report.
cases_of() {
  local program=$1 tag=$2 file=/root/${1##*/}
  outer cp "$program" "$name:$file" >&2
  outer exec -e BERTH_NO_SKIP=1 -e BERTH_TEST_SYSTEMD=1 -e BERTH_TEST_ENGINE_MACHINE=1 "$name" \
    timeout 300 "$file" "[$tag]" --reporter junit --out "/root/$tag.xml" >&2 || true
  outer cp "$name:/root/$tag.xml" "$state/$tag.xml" >&2
  python3 "$lib/case_lines.py" "$state/$tag.xml" "$tag"
}

main() {
  settle_names
  mkdir -p "$state"
  started=
  engine_find "$state/engine" || { engine_start "$state/engine"; started=yes; }
  name=$(container_name machine)
  later machine_remove
  machine_up
  # machine_wait speaks of machines by their name in the fleet.
  machine_wait machine >&2
  local programs=${BERTH_BUILD:-$root/build/dev}/tests
  { cases_of "$programs/host/resources/test_host_resources" systemd
    cases_of "$programs/host/resources/test_host_resources" engine; } | tee "$state/lines"
  ! grep -q '^not ok' "$state/lines"
}

main "$@"
