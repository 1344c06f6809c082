#!/usr/bin/env bash
# A page that names what is not there makes scripts/check-docs fail and say so.
set -euo pipefail
check=$1/scripts/check-docs
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fresh() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/docs" "$tree/tests/a"
  echo 'TEST_CASE("a verb is refused", "[x]") {' >"$tree/tests/a/a_test.cpp"
  printf '%s\n' "$2" >"$tree/$1"
}
refused() {
  fresh "$1" "$2"
  local said
  if said=$("$check" "$tree"); then echo "passed, and must not: $2"; exit 1; fi
  case $said in *"$3"*) ;; *) echo "does not say \"$3\": $said"; exit 1 ;; esac
}
allowed() {
  fresh "$1" "$2"
  "$check" "$tree" >/dev/null || { echo "refused, and must not be: $2"; exit 1; }
}

refused docs/checks.md '| a rule | `a: a verb is granted` |' 'a verb is granted'
allowed docs/checks.md '| a rule | `a: a verb is refused` |'
refused docs/checks.md '| events | `EV01` |' 'EV01'
refused docs/map.md '| a verb | `holder/verbs/none.cpp` |' 'holder/verbs/none.cpp'
allowed docs/map.md '| a test | `tests/a/` |'
refused README.md 'see [there](docs/none.md)' 'docs/none.md'
allowed README.md 'see [there](docs/) and [far](https://example.org/x)'
