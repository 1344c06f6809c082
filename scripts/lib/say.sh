# shellcheck shell=bash
# What the scripts print. Everything goes to stderr but tables and results, so that a pipe gets those alone.

if [ -t 2 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  say_bold=$'\e[1m' say_dim=$'\e[2m' say_red=$'\e[31m' say_green=$'\e[32m' say_yellow=$'\e[33m' say_end=$'\e[0m'
else
  say_bold='' say_dim='' say_red='' say_green='' say_yellow='' say_end=''
fi
say_began=$SECONDS

# title TEXT: a phase begins.
title() { printf '\n%s== %s%s %s(%s)%s\n' "$say_bold" "$*" "$say_end" "$say_dim" "$(elapsed)" "$say_end" >&2; }
say() { printf '   %s\n' "$*" >&2; }
good() { printf '   %sok%s %s\n' "$say_green" "$say_end" "$*" >&2; }
warn() { printf '   %swarning:%s %s\n' "$say_yellow" "$say_end" "$*" >&2; }
fail() { printf '%serror:%s %s\n' "$say_red" "$say_end" "$*" >&2; }
die() {
  fail "$*"
  exit 1
}

# Minutes and seconds since the script began.
elapsed() { printf '%d:%02d' $(((SECONDS - say_began) / 60)) $(((SECONDS - say_began) % 60)); }

usage_error() {
  fail "$*"
  exit 2
}

need_root() {
  [ "$(id -u)" -eq 0 ] || die "${0##*/} must run as root: it $1. Try: sudo $0"
}
