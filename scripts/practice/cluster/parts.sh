# shellcheck shell=bash
# etcd, the API server, the controllers, the scheduler, an engine of the node's own, what enforces policies, kubelet and
# kube-proxy.

control_plane_up() {
  local pki=$state/pki
  run_part etcd etcd --data-dir "$state/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
  api_server_up
  run_part kube-controller-manager "$cache/bin/kube-controller-manager" --kubeconfig="$state/admin.kubeconfig" \
    --root-ca-file="$pki/ca.crt" --service-account-private-key-file="$pki/accounts.key" --leader-elect=false \
    --enable-hostpath-provisioner=true --use-service-account-credentials=true
  run_part kube-scheduler "$cache/bin/kube-scheduler" --kubeconfig="$state/admin.kubeconfig" --leader-elect=false
}

# What berth's account asks for is written down, for the test of its rights.
audit_policy() {
  cat >"$state/audit.yaml" <<POLICY
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, users: ["system:serviceaccount:boxes:berth"]}
- {level: None}
POLICY
}

api_server_up() {
  local pki=$state/pki
  audit_policy
  run_part kube-apiserver "$cache/bin/kube-apiserver" --etcd-servers=http://127.0.0.1:2379 --bind-address=0.0.0.0 \
    --advertise-address="$kNodeAddress" --service-cluster-ip-range="$kServiceRange" --authorization-mode=Node,RBAC \
    --client-ca-file="$pki/ca.crt" --tls-cert-file="$pki/server.crt" --tls-private-key-file="$pki/server.key" \
    --service-account-key-file="$pki/accounts.pub" --service-account-signing-key-file="$pki/accounts.key" \
    --service-account-issuer=https://kubernetes.default.svc --allow-privileged=true \
    --kubelet-client-certificate="$pki/admin.crt" --kubelet-client-key="$pki/admin.key" \
    --kubelet-preferred-address-types=InternalIP --profiling=false \
    --audit-policy-file="$state/audit.yaml" --audit-log-path="$state/audit.log"
  until_true 90 kube-apiserver kube get --raw /readyz
}

# A pod's first container is to be killed last for want of memory (oom_score_adj -998). Where this computer lets
# nobody ask for that, runc ends without a word: there the number is taken out before it.
tolerant_runc() {
  cat >"$state/runc" <<'WRAPPER'
#!/bin/sh
for word; do
  [ "${before:-}" != --bundle ] || sed -i 's/"oomScoreAdj":-[0-9]*/"oomScoreAdj":0/' "$word/config.json"
  before=$word
done
exec runc "$@"
WRAPPER
  chmod 755 "$state/runc"
}
may_lower_oom_score() { (echo -998 >/proc/self/oom_score_adj) 2>/dev/null; }

# The node's engine makes no network: pods get theirs from the CNI plugin.
engine_up() {
  local runtime=()
  tolerant_runc
  may_lower_oom_score || runtime=(--add-runtime "tolerant=$state/runc" --default-runtime tolerant)
  run_part dockerd dockerd "${runtime[@]}" --data-root "$state/engine/data" --exec-root "$state/engine/exec" --bridge=none \
    --iptables=false --ip-masq=false -H "unix://$state/docker.sock" -p "$state/engine.pid"
  until_true 60 dockerd docker -H "unix://$state/docker.sock" version
}

node_engine() { docker -H "unix://$state/docker.sock" "$@"; }

# The two images: the practice box, and what holds a pod's namespaces.
images_up() {
  busybox_root "$state/root"
  mkdir -p "$state/root"/{home/box,box/work,box/cache,proc,sys,dev}
  printf 'box:x:1000:1000:box:/home/box:/bin/sh\n' >>"$state/root/etc/passwd"
  tar -C "$state/root" -c . | node_engine import - berth-box-practice:1 >/dev/null
  tar -C "$state/root" -c . | node_engine import --change 'ENTRYPOINT ["sh", "-c", "trap \"exit 0\" TERM INT; while :; do sleep 3600 & wait $!; done"]' \
    - berth-pause:1 >/dev/null
  rm -rf "$state/root"
}

# What Debian has no network plugin for. It shuts every pod in before there is one.
policies_up() {
  run_part policies python3 "$here/practice/cluster/policies.py" "$kNodeAddress:6443" "$state/pki"
  until_true 30 "what enforces policies" grep -q '^every pod is shut in' "$state/policies.log"
}

# Each pod by itself, so that the node routes, and may judge, every packet between two.
cni_config() {
  mkdir -p "$state/cni"
  cat >"$state/cni/10-practice.conf" <<CONFIG
{"cniVersion": "0.3.1", "name": "practice", "type": "ptp", "ipMasq": true, "ipam": {"type": "host-local", "subnet": "$kPodRange", "dataDir": "$state/cni-data",
 "routes": [{"dst": "0.0.0.0/0"}]}}
CONFIG
}

kubelet_config() {
  cat >"$state/kubelet.yaml" <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $state/pki/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $state/pki/kubelet-server.crt
tlsPrivateKeyFile: $state/pki/kubelet-server.key
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failSwapOn: false
podPidsLimit: 512
syncFrequency: 2s
imageGCHighThresholdPercent: 100
evictionHard: {nodefs.available: "0%", imagefs.available: "0%", memory.available: "1Mi"}
clusterDNS: ["$kNodeAddress"]
CONFIG
}

node_up() {
  cni_config
  kubelet_config
  policies_up
  run_part kubelet "$cache/bin/kubelet" --config="$state/kubelet.yaml" --kubeconfig="$state/kubelet.kubeconfig" \
    --root-dir="$state/kubelet" --cert-dir="$state/pki" --hostname-override=practice --node-ip="$kNodeAddress" \
    --container-runtime=docker --docker-endpoint="unix://$state/docker.sock" --pod-infra-container-image=berth-pause:1 \
    --network-plugin=cni --cni-bin-dir=/usr/lib/cni --cni-conf-dir="$state/cni" --cni-cache-dir="$state/cni-cache"
  run_part kube-proxy "$cache/bin/kube-proxy" --kubeconfig="$state/admin.kubeconfig" --proxy-mode=iptables \
    --cluster-cidr="$kPodRange" --hostname-override=practice --conntrack-max-per-core=0 \
    --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
  until_true 90 kubelet node_is_ready
}

node_is_ready() { kube get node practice -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}' | grep -qx True; }

kube() { kubectl --kubeconfig "$state/admin.kubeconfig" "$@"; }

# What an operator would make: the storage class, and berth's account with the rights of docs/kubernetes.
objects_up() {
  kube apply -f - >/dev/null <<'OBJECTS'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: practice, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: kubernetes.io/host-path
OBJECTS
  kube apply -f "$root/docs/kubernetes/namespace.yaml" -f "$root/docs/kubernetes/rbac.yaml" >/dev/null
}
