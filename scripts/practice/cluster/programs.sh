# shellcheck shell=bash
# Kubernetes' own programs, built once from Debian 12's source package and kept outside the tree.

readonly kPrograms=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet)
readonly kSourceRelease=bookworm # later releases of Debian have no source of the servers

# Any kubectl will do, and Debian's does not go beside another package's.
cluster_packages() {
  echo golang-go etcd-server dpkg-dev rsync make containernetworking-plugins iptables iproute2 openssl docker.io runc \
    busybox-static
  command -v kubectl >/dev/null || echo kubernetes-client
}

programs_missing() {
  local program
  for program in "${kPrograms[@]}"; do [ -x "$cache/bin/$program" ] || echo "$program"; done
}

# source_fetch: unpacks the source package, by apt, with lists of its own: this computer's stay as they are.
source_fetch() {
  local options mirror
  [ ! -e "$cache/src/unpacked" ] || return 0
  mirror=$(debian_mirror "$kSourceRelease")
  rm -rf "$cache/src/kubernetes"
  mkdir -p "$cache/apt/lists/partial" "$cache/src"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $kSourceRelease main" >"$cache/apt/sources.list"
  options=(-o "Dir::Etc::SourceList=$cache/apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$cache/apt/lists")
  say "fetching Debian's source package kubernetes"
  apt-get "${options[@]}" update -qq || die "apt knows no sources of $kSourceRelease at $mirror"
  (cd "$cache/src" && apt-get "${options[@]}" source --download-only -qq kubernetes &&
    dpkg-source --no-check -x kubernetes_*.dsc kubernetes) >"$cache/source.log" 2>&1 ||
    die "the source package kubernetes could not be unpacked; the log is $cache/source.log"
  touch "$cache/src/unpacked"
}

# in_source COMMAND…: where Go takes the sources for what they are.
in_source() {
  local source=$cache/src/kubernetes
  mkdir -p "$cache/home" "$source/.go/src/k8s.io"
  ln -sfn ../../.. "$source/.go/src/k8s.io/kubernetes"
  (cd "$source/.go/src/k8s.io/kubernetes" && HOME=$cache/home GOPATH=$source/.go GOCACHE=$cache/home/go-build GO111MODULE=off \
    CGO_ENABLED=0 nice -n 10 "$@")
}

# The one generated file that the source package lacks. Asked of the makefile of those files alone, with the settings
# that the main one gives it: the whole would make all the others again.
source_complete() {
  in_source env KUBE_VERBOSE=1 OUT_DIR=_output BIN_DIR=_output/bin META_DIR=.make PRJ_SRC_PATH=k8s.io/kubernetes \
    GENERATED_FILE_PREFIX=zz_generated. make -s -f Makefile.generated_files gen_openapi CALLED_FROM_MAIN_MAKEFILE=1
}

# programs_build: under three minutes on two idle cores, once. All at the same time, for they share most of what they are
# made of; without the clouds' own parts, which take as long again.
programs_build() {
  local missing
  missing=$(programs_missing)
  [ -n "$missing" ] || return 0
  source_fetch
  say "building ${missing//$'\n'/ }"
  source_complete >"$cache/generate.log" 2>&1 || die "the sources could not be completed; the log is $cache/generate.log"
  rm -rf "$cache/bin.new"
  mkdir -p "$cache/bin" "$cache/bin.new"
  # shellcheck disable=SC2086
  in_source go build -tags providerless -ldflags "-s -w" -o "$cache/bin.new/" $(printf './cmd/%s ' $missing) >"$cache/build.log" 2>&1 ||
    die "Kubernetes' programs do not build; the log is $cache/build.log"
  mv "$cache/bin.new"/* "$cache/bin/"
  rm -rf "$cache/bin.new" "$cache/home" "$cache/src/kubernetes" "$cache/src/unpacked"
}
