#!/usr/bin/env bash
# The rights of docs/kubernetes on a real cluster: what the account may do, what it may not, and that it needs all of it.
# BERTH_TEST_KUBECONFIG names a cluster of scripts/practice-cluster that berth-conformance was run on: what the account
# asked for then is in the API server's audit log, beside the kubeconfig.
set -euo pipefail
kubeconfig=${BERTH_TEST_KUBECONFIG:?names the kubeconfig of a cluster}
account=system:serviceaccount:boxes:berth
failed=0

kube() { kubectl --kubeconfig "$kubeconfig" "$@"; }

# may NAMESPACE VERB RESOURCE[/SUBRESOURCE]; "a/b" alone would be asked as the a of the name b.
may() {
  local words=("$2" "${3%%/*}")
  [[ $3 == /* || $3 != */* ]] || words+=("--subresource=${3#*/}")
  [[ $3 != /* ]] || words=("$2" "$3")
  [ "$(kube auth can-i --as="$account" -n "$1" "${words[@]}" 2>/dev/null)" = yes ]
}
may_not() { ! may "$@"; }

check() {
  local what=$1
  shift
  if "$@"; then echo "ok - $what"; else echo "not ok - $what" && failed=1; fi
}

# The role as the server has it, a line a right: "pods/exec get".
granted() {
  kube -n boxes get role berth -o json | python3 -c '
import json, sys
for rule in json.load(sys.stdin)["rules"]:
    for resource in rule["resources"]:
        for verb in rule["verbs"]:
            print(resource, verb)' | sort
}

# What was asked for, and let through.
asked() {
  python3 - "$(dirname "$kubeconfig")/audit.log" <<'ASKED' | sort -u
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if event["annotations"].get("authorization.k8s.io/decision") == "allow" and "objectRef" in event:
        about = event["objectRef"]
        print("/".join(filter(None, (about["resource"], about.get("subresource")))), event["verb"])
ASKED
}

refused() {
  python3 - "$(dirname "$kubeconfig")/audit.log" <<'REFUSED'
import json, sys
wrong = [e["requestURI"] for e in map(json.loads, open(sys.argv[1])) if e["annotations"].get("authorization.k8s.io/decision") != "allow"]
print("\n".join(wrong))
sys.exit(bool(wrong))
REFUSED
}

while read -r resource verb; do
  check "the account may $verb $resource of its namespace" may boxes "$verb" "$resource"
  check "and not in another: $verb $resource" may_not default "$verb" "$resource"
done < <(granted)

for never in 'get secrets' 'list secrets' 'create serviceaccounts' 'create serviceaccounts/token' 'create roles' 'bind roles' 'escalate roles' \
  'create rolebindings' 'update pods' 'patch pods' 'create pods/ephemeralcontainers' 'get pods/log' 'create pods/attach' \
  'create pods/portforward' 'list services' 'create services' 'update services' 'deletecollection pods' 'get configmaps'; do
  # shellcheck disable=SC2086
  check "the account may not $never" may_not boxes $never
done
for never in 'get nodes' 'list namespaces' 'create namespaces' 'get persistentvolumes' 'impersonate users' 'create clusterrolebindings' 'get /logs'; do
  # shellcheck disable=SC2086
  check "the account may not $never" may_not default $never
done

# From 1.35 on an exec by WebSocket asks for `create` as well.
unused=$(comm -23 <(granted) <(asked) | grep -vx 'pods/exec create' || true)
check "every right was used by the rules of the boxes${unused:+, but: $unused}" [ -z "$unused" ]
check "nothing that berth asked for was refused" refused
exit "$failed"
