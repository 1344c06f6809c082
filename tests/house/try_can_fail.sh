#!/usr/bin/env bash
# Each place where a TRY leaks, alone in a small tree, makes scripts/check-try fail and name it; each harmless one passes.
set -euo pipefail
check=$1/scripts/check-try
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

refused() {
  printf 'Result<Json> f() {\n%s\n}\n' "$1" >"$tree/a.cpp"
  local said
  if said=$("$check" "$tree" 2>&1); then echo "passed, and must not: $1"; exit 1; fi
  case $said in *"a.cpp:2: "*) ;; *) echo "does not name a.cpp:2: $said"; exit 1 ;; esac
}

allowed() {
  printf 'Result<Json> f() {\n%s\n}\n' "$1" >"$tree/a.cpp"
  "$check" "$tree" || { echo "refused, and must not be: $1"; exit 1; }
}

refused 'return Json{{"a", 1}, {"b", TRY(g())}};'
refused 'return Row{name, TRY(g())};'
refused 'all.push_back({name, TRY(g(1, 2))});'
refused 'Row row{.name = name, .value = TRY(g())};'
allowed 'return h(name, TRY(g()));'
allowed 'return Row{TRY(g()), name};'
allowed 'for (const auto& [key, value] : rows) { TRY(g(key, value)); }'
allowed 'each(rows, [&](int a, int b) -> Status { return TRY(g(a)); });'
allowed '// a, {b, TRY(c)}'

rm "$tree/a.cpp"
if "$check" "$tree" >/dev/null 2>&1; then echo "an empty tree passed"; exit 1; fi
