# shellcheck shell=bash
# What turns four bare machines into a fleet that berth's start release runs: the host on each, what it and its
# predecessors declared, the broker, containers it holds and containers it does not.

documents() { python3 "$root/scripts/practice/documents.py" --state "$state" "$@"; }

seed() {
  title "practice fleet: the start state"
  seed_documents
  in_parallel "the start release could not be put on every machine" seed_host
  good "berth-host $kStartVersion is on every machine"
  in_parallel "not every machine's start declaration was applied" seed_declared
  good "each machine's host made what its declaration says, by the command line"
  in_parallel "the strays could not be made" seed_strays
  in_parallel "berth-host does not run on every machine" seed_service
  documents fleet "$(debian_platform "$(debian_codename)")" >"$state/fleet.json"
  good "hosts run; the fleet document is $state/fleet.json"
}

# What the documents are made from: addresses, and a password for each user of the bus.
seed_documents() {
  local machine user
  for machine in "${kMachines[@]}"; do printf '"%s": "%s"\n' "$machine" "$(address_of "$machine")"; done |
    paste -s -d , | sed 's/.*/{&}/' >"$state/addresses.json"
  for user in $(documents users); do
    [ -s "$state/secrets/$user.password" ] ||
      (umask 077 && openssl rand -hex 16 >"$state/secrets/$user.password")
  done
  mkdir -p "$state/modules"
  cp "$root/scripts/practice/modules/"*.json "$state/modules/"
}

# put MACHINE FILE MODE: writes stdin there.
put() { on_with_input "$1" sh -c 'umask 077; mkdir -p "$(dirname "$1")"; cat >"$1"; chmod "$2" "$1"' put "$2" "$3"; }

seed_host() {
  local machine=$1 artifact
  artifact=/srv/berth-artifacts/berth-$kStartVersion-$(debian_platform "$(debian_codename)").tar.gz
  on "$machine" sh -ec '
    folder=/opt/berth/releases/$1
    mkdir -p "$folder" /etc/berth /var/lib/berth
    chmod 700 /var/lib/berth
    tar -C "$folder" -xzf "$2"
    ln -sfn "$folder" /opt/berth/host
    id operator >/dev/null 2>&1 || useradd --create-home --no-user-group --shell /bin/bash operator' seed "$kStartVersion" "$artifact"
  on "$machine" /opt/berth/host/bin/berth-host --version >/dev/null ||
    die "$machine: berth-host does not start there (a missing library?)"
  documents host "$machine" | put "$machine" /etc/berth/host.json 0644
  put "$machine" /etc/berth/host.password 0600 <"$state/secrets/host-$machine.password"
  put "$machine" /etc/berth/holder.password 0600 <"$state/secrets/holder-$machine.password"
  put "$machine" /etc/systemd/system/berth-host.service 0644 <"$root/scripts/practice/berth-host.service"
}

# host_apply MACHINE SEQUENCE MODULE…: a push from a file, as before there was a bus.
host_apply() {
  local machine=$1 sequence=$2 file=/root/push-$2.json
  shift 2
  documents push "$machine" "$sequence" "$@" | put "$machine" "$file" 0600
  on "$machine" /opt/berth/host/bin/berth-host apply "$file" >"$state/machines/$machine/apply-$sequence.log" 2>&1 ||
    die "$machine: berth-host apply failed: $(tail -n 3 "$state/machines/$machine/apply-$sequence.log")"
}

seed_declared() {
  case $1 in
    alder) seed_declared_alder ;;
    birch) seed_declared_birch ;;
    *) host_apply "$1" 1 web ;;
  esac
}

# The first machine: its bundle's records are carried, and its host makes the broker before there is a bus.
seed_declared_alder() {
  local file
  documents bundle alder | put alder /root/bundle.json 0600
  on alder /opt/berth/host/bin/berth-host bootstrap /root/bundle.json >"$state/machines/alder/bootstrap.log" 2>&1 ||
    die "alder: berth-host bootstrap failed: $(tail -n 3 "$state/machines/alder/bootstrap.log")"
  for file in nats.conf secrets.conf permissions.conf; do documents "$file" | put alder "/etc/nats/$file" 0600; done
  on alder mkdir -p /var/lib/nats
  host_apply alder 1 broker web
}

# Two modules of the old host write the engine's file. `dns` is only taken at an engine's start: it is started
# again now, while no container runs there.
seed_declared_birch() {
  on birch mkdir -p /etc/dnsmasq.d /etc/systemd/network
  host_apply birch 1 dnsmasq private-network
  on birch systemctl restart docker.service
  machine_wait birch
  host_apply birch 2 dnsmasq private-network web
}

# Started by hand or by tools: a compose project (its labels are what makes it one), and per machine some more.
seed_strays() {
  local machine=$1
  on "$machine" sh -ec '
    docker network create --label com.docker.compose.project=devbox devbox_default
    docker volume create --label com.docker.compose.project=devbox devbox_data
    for service in db app; do
      docker run -d --name devbox-$service-1 --network devbox_default --network-alias $service \
        --label com.docker.compose.project=devbox --label com.docker.compose.service=$service \
        --label com.docker.compose.container-number=1 -v devbox_data:/data -e PASSWORD=not-to-be-shown \
        berth-practice:1 /bin/sleep 1000000
    done' >/dev/null
  "seed_strays_$machine"
}

seed_strays_alder() { on alder docker run -d --name scratch berth-practice:1 /bin/sleep 1000000 >/dev/null; }

seed_strays_birch() {
  on birch docker run -d --name test-db --restart unless-stopped --memory 32m berth-practice:1 /bin/sleep 1000000 >/dev/null
  on birch docker run --name failed-import berth-practice:1 /bin/sh -c 'exit 3' >/dev/null || true
}

seed_strays_cedar() {
  local i
  for i in 1 2 3; do on cedar docker run -d --name "runner-$i" berth-practice:1 /bin/sleep 1000000 >/dev/null; done
  on cedar docker create --name never-started berth-practice:1 >/dev/null
}

seed_strays_dogwood() {
  on dogwood docker run -d --cap-add SYS_ADMIN --pid host -v /:/machine:ro --name maintenance berth-practice:1 /bin/sleep 1000000 >/dev/null
  on dogwood docker run -d --name health --health-cmd 'test -e /www/index.html' --health-interval 10s \
    berth-practice:1 /bin/sleep 1000000 >/dev/null
}

seed_service() {
  local machine=$1 i
  on "$machine" systemctl daemon-reload
  on "$machine" systemctl enable --now --quiet berth-host.service
  for ((i = 0; i < 60; i++)); do
    [ "$(on "$machine" systemctl is-active berth-host.service 2>/dev/null)" = active ] && return
    sleep 0.5
  done
  die "$machine: berth-host.service is not active: $(on "$machine" journalctl -u berth-host -n 5 --no-pager -o cat 2>&1)"
}
