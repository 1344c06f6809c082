#!/usr/bin/env bash
# Each include against the layers, alone in a small tree, makes scripts/check-layers fail and name it.
set -euo pipefail
check=$1/scripts/check-layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# refused FILE INCLUDE: that include in that file must not pass.
refused() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/$(dirname "$1")"
  echo "#include $2" >"$tree/$1"
  local said
  if said=$("$check" "$tree"); then echo "passed, and must not: $2 in $1"; exit 1; fi
  case $said in *"$1:1: "*) ;; *) echo "does not name $1: $said"; exit 1 ;; esac
}

# allowed FILE INCLUDE
allowed() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/$(dirname "$1")"
  echo "#include $2" >"$tree/$1"
  "$check" "$tree" >/dev/null || { echo "refused, and must not be: $2 in $1"; exit 1; }
}

refused store/a.cpp '"bus/bus.h"'
refused bus/a.cpp '"store/store.h"'
refused host/apply/a.cpp '"holder/engine/engine.h"'
refused host/a.h '"catalogue/catalogue.h"'
refused catalogue/a.cpp '"holder/client/client.h"'
refused catalogue/a.cpp '"migrate/migrate.h"'
refused cli/a.cpp '"holder/verbs/table.h"'
refused holder/engine/a.cpp '"holder/verbs/table.h"'
refused holder/client/a.cpp '"holder/engine/engine.h"'
refused catalogue/a.cpp '<nats/nats.h>'
refused host/a.cpp '<SQLiteCpp/Database.h>'
allowed host/a.cpp '"holder/client/client.h"'
allowed host/a.cpp '<vector>'
allowed migrate/a.cpp '"catalogue/catalogue.h"'

# A tree without sources proves nothing.
rm -rf "${tree:?}"/*
if "$check" "$tree" >/dev/null 2>&1; then echo "an empty tree passed"; exit 1; fi
