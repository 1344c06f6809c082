#!/usr/bin/env bash
# Schemas that are not the table's make verbs_test.py fail and say so; without engines, which it needs for answers alone.
set -euo pipefail
tree=$1 holder=$2
unset BERTH_TEST_DOCKER BERTH_TEST_PODMAN BERTH_NO_SKIP
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# refused EDIT SAYS: with the schemas so edited.
refused() {
  rm -rf "${copy:?}"/*
  mkdir "$copy/schema"
  cp -r "$tree/schema/verbs" "$copy/schema/verbs"
  (cd "$copy/schema/verbs" && eval "$1")
  local said
  if said=$(python3 "$tree/tests/house/verbs_test.py" "$copy" "$holder" 2>/dev/null); then echo "passed, and must not: $1"; exit 1; fi
  case $said in *"$2"*) ;; *) echo "does not say \"$2\": $said"; exit 1 ;; esac
}

refused 'rm stop.schema.json' "files: ['stop']"
refused "sed -i 's/\"tail\"/\"tails\"/' logs.schema.json" 'logs: the table names'
refused 'cp list.schema.json lists.schema.json' "files: ['lists']"
