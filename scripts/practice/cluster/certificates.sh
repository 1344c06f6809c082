# shellcheck shell=bash
# A certificate authority of the cluster's own, and a kubeconfig for each who speaks to the API server.

authority_make() {
  local folder=$state/pki
  mkdir -p "$folder"
  openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=berth-practice-cluster \
    -keyout "$folder/ca.key" -out "$folder/ca.crt" 2>/dev/null
  openssl genrsa -out "$folder/accounts.key" 2048 2>/dev/null
  openssl rsa -in "$folder/accounts.key" -pubout -out "$folder/accounts.pub" 2>/dev/null
  certificate_make server /CN=kube-apiserver \
    "subjectAltName=DNS:kubernetes,DNS:kubernetes.default.svc,DNS:localhost,IP:127.0.0.1,IP:$kNodeAddress,IP:$kKubernetesService"
  certificate_make admin /O=system:masters/CN=admin
  certificate_make kubelet /O=system:nodes/CN=system:node:practice
  certificate_make kubelet-server /CN=practice "subjectAltName=DNS:practice,IP:$kNodeAddress"
}

# certificate_make NAME SUBJECT [EXTENSION]
certificate_make() {
  local folder=$state/pki name=$1
  openssl req -newkey rsa:2048 -nodes -subj "$2" -keyout "$folder/$name.key" -out "$folder/$name.csr" 2>/dev/null
  openssl x509 -req -in "$folder/$name.csr" -CA "$folder/ca.crt" -CAkey "$folder/ca.key" -CAcreateserial -days 30 \
    -extfile <(printf '%s\nextendedKeyUsage=serverAuth,clientAuth\n' "${3:-}") -out "$folder/$name.crt" 2>/dev/null
}

# kubeconfig_make FILE NAME: with that certificate.
kubeconfig_make() {
  local folder=$state/pki
  cat >"$1" <<CONFIG
apiVersion: v1
kind: Config
current-context: practice
clusters:
- name: practice
  cluster:
    server: https://$kNodeAddress:6443
    certificate-authority-data: $(base64 -w 0 "$folder/ca.crt")
contexts:
- name: practice
  context: {cluster: practice, user: $2}
users:
- name: $2
  user:
    client-certificate-data: $(base64 -w 0 "$folder/$2.crt")
    client-key-data: $(base64 -w 0 "$folder/$2.key")
CONFIG
  chmod 600 "$1"
}
