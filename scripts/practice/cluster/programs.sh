# shellcheck shell=bash
# Kubernetes' own programs, built once from Debian 12's source package and kept outside the tree.

readonly kPrograms=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet)
readonly kSourceRelease=bookworm # later releases of Debian have no source of the servers

cluster_packages() {
  echo golang-go etcd-server dpkg-dev rsync make containernetworking-plugins iptables iproute2 openssl docker.io runc \
    busybox-static kubernetes-client
}

programs_missing() {
  local program
  for program in "${kPrograms[@]}"; do [ -x "$cache/bin/$program" ] || echo "$program"; done
}

# source_fetch: unpacks the source package, by apt, with lists of its own: this computer's stay as they are.
source_fetch() {
  local options mirror
  [ ! -d "$cache/src/kubernetes/cmd" ] || return 0
  mirror=$(debian_mirror "$kSourceRelease")
  mkdir -p "$cache/apt/lists/partial" "$cache/src"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $kSourceRelease main" >"$cache/apt/sources.list"
  options=(-o "Dir::Etc::SourceList=$cache/apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$cache/apt/lists")
  say "fetching Debian's source package kubernetes"
  apt-get "${options[@]}" update -qq || die "apt knows no sources of $kSourceRelease at $mirror"
  (cd "$cache/src" && apt-get "${options[@]}" source --download-only -qq kubernetes &&
    dpkg-source --no-check -x kubernetes_*.dsc kubernetes) >"$cache/source.log" 2>&1 ||
    die "the source package kubernetes could not be unpacked; the log is $cache/source.log"
}

# programs_build: about three minutes on two idle cores, once.
programs_build() {
  local missing program source=$cache/src/kubernetes
  missing=$(programs_missing)
  [ -n "$missing" ] || return 0
  source_fetch
  mkdir -p "$cache/bin" "$cache/home" "$source/.go/src/k8s.io"
  ln -sfn ../../.. "$source/.go/src/k8s.io/kubernetes"
  for program in $missing; do
    say "building $program"
    (cd "$source" && HOME=$cache/home GOPATH=$source/.go GO111MODULE=off CGO_ENABLED=0 nice -n 10 \
      make WHAT="cmd/$program") >"$cache/build-$program.log" 2>&1 ||
      die "$program does not build; the log is $cache/build-$program.log"
    cp "$source/_output/bin/$program" "$cache/bin/$program.new"
    mv "$cache/bin/$program.new" "$cache/bin/$program"
  done
}
