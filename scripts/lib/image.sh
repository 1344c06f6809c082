# shellcheck shell=bash
# The machine image: a Debian of this computer's release with systemd and Docker, made by debootstrap and kept as
# a tree in the cache; and the two small images that the machines' own engines run.

cache=${BERTH_CACHE:-/var/cache/berth-practice}

machine_packages() {
  echo systemd systemd-sysv dbus docker.io runc iptables iproute2 procps ca-certificates sudo sqlite3
  # What the modules want, where the release has it: a practice machine reaches no archive.
  echo dnsmasq
  [ "$1" = bookworm ] || echo docker-cli docker-buildx
  # Libraries of this computer's release only: a machine of another release runs no program built here.
  [ "$1" != "$(debian_codename)" ] || runtime_libraries
}

# tree_make CODENAME FOLDER
tree_make() {
  local codename=$1 tree=$2 mirror
  mirror=$(debian_mirror "$codename")
  say "debootstrap $codename from $mirror (a few minutes, once: the tree is kept in $cache)"
  mkdir -p "$cache"
  rm -rf "$tree.new"
  later rm -rf "$tree.new"
  debootstrap --variant=minbase "$codename" "$tree.new" "$mirror" >"$tree.log" 2>&1 ||
    die "debootstrap failed; its log is $tree.log: $(tail -n 1 "$tree.log")"
  mv "$tree.new" "$tree"
}

# tree_missing FOLDER PACKAGES...
tree_missing() {
  local tree=$1 package
  shift
  for package in "$@"; do
    [ "$(chroot "$tree" dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# tree_install FOLDER PACKAGES...: what the tree lacks of them. Nothing is started in it.
tree_install() {
  local tree=$1 missing
  missing=$(tree_missing "$@" | tr '\n' ' ')
  [ -n "${missing// /}" ] || return 0
  say "installing into the tree: $missing"
  printf '#!/bin/sh\nexit 101\n' >"$tree/usr/sbin/policy-rc.d"
  chmod 755 "$tree/usr/sbin/policy-rc.d"
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
  # shellcheck disable=SC2086
  (chroot "$tree" apt-get update -qq &&
    DEBIAN_FRONTEND=noninteractive chroot "$tree" apt-get install -y -qq --no-install-recommends $missing) \
    >"$tree.log" 2>&1 </dev/null || die "could not complete the tree $tree; the log is $tree.log: $(tail -n 1 "$tree.log")"
  rm -f "$tree/usr/sbin/policy-rc.d"
}

# What has no sense in a practice machine is masked; each machine gets its own id, so the image has none.
tree_settle() {
  local tree=$1 unit
  for unit in apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer \
    dpkg-db-backup.timer getty@tty1.service console-getty.service systemd-pstore.service systemd-timesyncd.service; do
    ln -sfn /dev/null "$tree/etc/systemd/system/$unit"
  done
  rm -f "$tree/etc/systemd/system/multi-user.target.wants/dnsmasq.service" # its module starts it
  : >"$tree/etc/machine-id"
  rm -f "$tree/var/lib/dbus/machine-id"
}

# What an image is made of: a new stamp makes a new image.
tree_stamp() {
  { chroot "$1" dpkg-query -W -f '${Package} ${Version}\n'; cat "${BASH_SOURCE[0]}"; } | sha256sum | cut -c 1-16
}

# image_ensure CODENAME: berth-machine:CODENAME is in the computer's engine.
image_ensure() {
  local codename=$1 tree=$cache/tree-$1 image=berth-machine:$1 stamp have
  [ -d "$tree" ] || tree_make "$codename" "$tree"
  # shellcheck disable=SC2046
  tree_install "$tree" $(machine_packages "$codename")
  tree_settle "$tree"
  stamp=$(tree_stamp "$tree")
  have=$(outer image inspect -f '{{index .Config.Labels "berth.tree"}}' "$image" 2>/dev/null || true)
  if [ "$have" = "$stamp" ]; then
    say "image $image is there already"
    return
  fi
  say "importing the tree as $image (under a minute)"
  tar -C "$tree" --one-file-system --exclude=./usr/share/doc --exclude=./usr/share/man --exclude=./usr/share/locale \
    --exclude=./var/cache/apt --exclude=./var/lib/apt/lists -c . |
    outer import --change "LABEL berth.tree=$stamp" --change "LABEL berth.practice.image=1" - "$image" \
      >/dev/null
}

# inner_images_make FOLDER: the inner images, as files that each machine's engine imports.
inner_images_make() {
  local folder=$1
  mkdir -p "$folder"
  rm -rf "$folder/root"
  busybox_root "$folder/root"
  tar -C "$folder/root" -cf "$folder/practice.tar" .
  broker_into "$folder/root"
  tar -C "$folder/root" -cf "$folder/broker.tar" .
  rm -rf "$folder/root"
}

busybox_root() {
  local root=$1 busybox applet
  busybox=$(command -v busybox) || die "busybox is not installed: run scripts/setup"
  ! ldd "$busybox" >/dev/null 2>&1 || die "$busybox is not static: run scripts/setup (busybox-static)"
  mkdir -p "$root"/{bin,etc,tmp,www,var}
  chmod 1777 "$root/tmp"
  cp "$busybox" "$root/bin/busybox"
  for applet in $("$busybox" --list); do
    [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"
  done
  echo 'root:x:0:0:root:/:/bin/sh' >"$root/etc/passwd"
  echo 'root:x:0:' >"$root/etc/group"
  echo '<h1>a practice container</h1>' >"$root/www/index.html"
}

broker_into() {
  local root=$1 server library
  server=$(command -v nats-server) || die "nats-server is not installed: run scripts/setup"
  cp "$server" "$root/bin/nats-server"
  for library in $(ldd "$server" 2>/dev/null | grep -o '/[^ ]*'); do
    mkdir -p "$root/$(dirname "$library")"
    cp -L "$library" "$root/$library"
  done
}
