# shellcheck shell=bash
# Debian's names: this computer's release, and the packages that building and practising need there.

debian_codename() (
  # shellcheck source=/dev/null
  . /etc/os-release
  [ "${ID:-}" = debian ] || die "this computer runs ${PRETTY_NAME:-an unknown system}; Debian 12 or 13 is needed"
  case "${VERSION_CODENAME:-}" in
    bookworm | trixie) echo "$VERSION_CODENAME" ;;
    *) die "this is Debian ${VERSION_CODENAME:-of an unknown release}; bookworm (12) or trixie (13) is needed" ;;
  esac
)

# debian_platform CODENAME: what artifacts are built for, as fleet documents name it.
debian_platform() {
  case $1 in
    bookworm) echo debian-12 ;;
    trixie) echo debian-13 ;;
    *) die "no platform is known for release '$1'" ;;
  esac
}

build_packages() {
  echo g++ cmake ninja-build pkg-config ccache libsqlite3-dev libsqlitecpp-dev libnats-dev nats-server docker-registry \
    libcurl4-openssl-dev nlohmann-json3-dev libssl-dev libspdlog-dev libfmt-dev libcli11-dev libsystemd-dev \
    libsimdjson-dev libyaml-cpp-dev libboost-dev catch2 sqlite3 python3 python3-jsonschema python3-prometheus-client openssl git
}

practice_packages() {
  echo sudo clang libclang-rt-dev docker.io runc iptables nftables debootstrap busybox-static iproute2 podman strace binutils
  # docker-cli is in docker.io itself until bookworm; from Podman 5 on a network without aardvark-dns cannot be left.
  [ "$1" = bookworm ] || echo docker-cli aardvark-dns
}

# The shared libraries that programs linked against these need where they run: their names differ between
# releases, and the -dev packages installed here know them.
runtime_libraries() {
  local dev
  for dev in libnats-dev libspdlog-dev libfmt-dev libcurl4-openssl-dev libsqlite3-dev libsimdjson-dev libyaml-cpp-dev libssl-dev \
    libsystemd-dev; do
    dpkg-query -W -f '${Depends}\n' "$dev"
  done | tr ',|' '\n' | sed 's/^ *//; s/[ :(].*//' |
    grep -E '^lib(nats|spdlog|fmt|curl|sqlite3|simdjson|yaml-cpp|ssl|systemd)' | grep -v -- '-dev$' | sort -u
}

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

missing_packages() {
  local package
  for package in "$@"; do is_installed "$package" || echo "$package"; done
}

# The archive this computer installs from: that of the release asked for, else of its own.
debian_mirror() {
  local found filter
  for filter in "Codename: $1" "Codename: $(debian_codename)"; do
    found=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "$filter" 2>/dev/null | sed -n 1p)
    [ -z "$found" ] || { echo "$found"; return; }
  done
  die "apt knows no archive for $1: is there one in its sources, and has apt-get update run?"
}
