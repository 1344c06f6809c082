#!/usr/bin/env python3
"""What enforces NetworkPolicies on the practice cluster: follows pods, policies and namespaces, and writes iptables
rules for each pod. Equipment for tests, of one node: Debian has no network plugin that does this.

usage: policies.py SERVER PKI_FOLDER     in the node's network namespace; the pods are joined by the plugin `ptp`

Each packet of a pod is routed by the node, so that every one passes the chains here (in the table mangle, after a
Service's address has become a pod's and before anybody else accepts it). A pod that is not known yet reaches nobody.
The node itself may reach its pods, as Kubernetes demands. Nothing of IPv6 passes: the cluster has none.
"""
import http.client
import ipaddress
import json
import ssl
import subprocess
import sys
import threading
import time

kLists = {"pods": "/api/v1/pods", "namespaces": "/api/v1/namespaces",
          "policies": "/apis/networking.k8s.io/v1/networkpolicies"}
kPods = "veth+"  # the node's ends of the pods' interfaces


class World:
    """The objects as the API server last told them."""

    def __init__(self, server, pki):
        self.server, self.changed = server, threading.Condition()
        self.objects = {kind: None for kind in kLists}
        self.tls = ssl.create_default_context(cafile=f"{pki}/ca.crt")
        self.tls.load_cert_chain(f"{pki}/admin.crt", f"{pki}/admin.key")

    def ask(self, path):
        connection = http.client.HTTPSConnection(self.server, context=self.tls, timeout=330)
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status != 200:
            raise OSError(f"{path}: {answer.status}")
        return answer

    def put(self, kind, objects):
        with self.changed:
            self.objects[kind] = objects
            self.changed.notify_all()

    def follow(self, kind):
        while True:
            try:
                listed = json.load(self.ask(kLists[kind]))
                objects = {item["metadata"]["uid"]: item for item in listed["items"]}
                self.put(kind, dict(objects))
                self.watch(kind, objects, listed["metadata"]["resourceVersion"])
            except (OSError, ValueError, KeyError, http.client.HTTPException) as error:
                print(f"{kind}: {error}; asking again", flush=True)  # the rules stay as they are
                time.sleep(0.3)

    def watch(self, kind, objects, version):
        for line in self.ask(f"{kLists[kind]}?watch=true&timeoutSeconds=300&resourceVersion={version}"):
            event = json.loads(line)
            if event["type"] == "ERROR":  # too old a version: listed anew
                return
            uid = event["object"]["metadata"]["uid"]
            objects.pop(uid, None)
            if event["type"] != "DELETED":
                objects[uid] = event["object"]
            self.put(kind, dict(objects))


def selects(selector, labels):
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    for one in selector.get("matchExpressions") or []:
        key, values, there = one["key"], one.get("values") or [], one["key"] in labels
        if not {"In": there and labels.get(key) in values, "NotIn": not there or labels[key] not in values,
                "Exists": there, "DoesNotExist": not there}[one["operator"]]:
            return False
    return True


def labels_of(thing):
    return thing["metadata"].get("labels") or {}


def pods_meant(peer, policy, objects):
    """The pods of a peer that is not an address block."""
    namespaces = {policy["metadata"]["namespace"]}
    if "namespaceSelector" in peer:
        namespaces = {n["metadata"]["name"] for n in objects["namespaces"].values()
                      if selects(peer["namespaceSelector"], labels_of(n))}
    return [pod for pod in running(objects) if pod["metadata"]["namespace"] in namespaces
            and selects(peer.get("podSelector") or {}, labels_of(pod))]


def running(objects):
    return [pod for pod in objects["pods"].values()
            if pod["status"].get("podIP") and pod["status"].get("phase") not in ("Succeeded", "Failed")
            and not pod["spec"].get("hostNetwork")]


def port_matches(ports, target):
    """iptables' words for the ports of a rule; a named one is the target pod's, and no other has it."""
    if not ports:
        return [""]
    words = []
    for port in ports:
        number, protocol = port.get("port"), port.get("protocol", "TCP").lower()
        if isinstance(number, str):
            named = [p["containerPort"] for c in (target or {"spec": {"containers": []}})["spec"]["containers"]
                     for p in c.get("ports") or [] if p.get("name") == number]
            if not named:
                continue
            number = named[0]
        last = f":{port['endPort']}" if "endPort" in port else ""
        words.append(f"-p {protocol}" + (f" --dport {number}{last}" if number is not None else ""))
    return words


def block_matches(block, flag):
    if ipaddress.ip_network(block["cidr"], strict=False).version != 4:
        return []
    left = [ipaddress.ip_network(block["cidr"], strict=False)]
    for hole in (ipaddress.ip_network(one, strict=False) for one in block.get("except") or []):
        left = [part for net in left for part in (net.address_exclude(hole) if hole.subnet_of(net) else [net])]
    return [f"{flag} {net}" for net in left]


def rule_lines(chain, rule, policy, pod, egress, objects):
    peers, flag = rule.get("to" if egress else "from"), "-d" if egress else "-s"
    targets = [] if peers else [("", pod if not egress else None)]
    for peer in peers or []:
        if "ipBlock" in peer:
            targets += [(words, None if egress else pod) for words in block_matches(peer["ipBlock"], flag)]
        else:
            targets += [(f"{flag} {other['status']['podIP']}", other if egress else pod)
                        for other in pods_meant(peer, policy, objects)]
    return [f"-A {chain} {words} {port} -j RETURN" for words, target in targets
            for port in port_matches(rule.get("ports"), target)]


def chains_of(objects):
    """{chain: its rules}: of each direction one for the pods, and one for each pod that a policy selects."""
    chains = {}
    for top, flag, kind in (("BERTH-EGRESS", "-s", "Egress"), ("BERTH-INGRESS", "-d", "Ingress")):
        chains[top] = [f"-A {top} -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN"]
        for pod in running(objects):
            address, about = pod["status"]["podIP"], pod["metadata"]
            mine = [policy for policy in objects["policies"].values()
                    if policy["metadata"]["namespace"] == about["namespace"]
                    and selects(policy["spec"].get("podSelector") or {}, labels_of(pod))
                    and kind in policy["spec"].get("policyTypes", ["Ingress"])]
            if not mine:
                chains[top].append(f"-A {top} {flag} {address} -j RETURN")
                continue
            chain = f"B{kind[0]}-{address}"
            chains[top].append(f"-A {top} {flag} {address} -g {chain}")
            chains[chain] = [line for policy in mine for rule in policy["spec"].get(kind.lower()) or []
                             for line in rule_lines(chain, rule, policy, pod, kind == "Egress", objects)]
            chains[chain].append(f"-A {chain} -j DROP")
        chains[top].append(f"-A {top} -j DROP")
    return chains


def restore(program, lines):
    text = "*mangle\n" + "\n".join(lines) + "\nCOMMIT\n"
    done = subprocess.run([program, "-w", "5", "--noflush"], input=text.encode(), capture_output=True)
    if done.returncode:
        raise SystemExit(f"{program}: {done.stderr.decode()}\n{text}")


def write(chains, before):
    gone = [chain for chain in before if chain not in chains]
    lines = [f":{chain} - [0:0]" for chain in list(chains) + gone]
    lines += [line for rules in chains.values() for line in rules] + [f"-X {chain}" for chain in gone]
    restore("iptables-restore", lines)


def main():
    shut = {top: [f"-A {top} -j DROP"] for top in ("BERTH-EGRESS", "BERTH-INGRESS")}
    write(shut, {})
    restore("iptables-restore", [f"-A FORWARD -i {kPods} -j BERTH-EGRESS", f"-A INPUT -i {kPods} -j BERTH-EGRESS",
                                 f"-A FORWARD -o {kPods} -j BERTH-INGRESS"])
    restore("ip6tables-restore", [f"-A {chain} -i {kPods} -j DROP" for chain in ("FORWARD", "INPUT")])
    print("every pod is shut in", flush=True)
    world, written = World(sys.argv[1], sys.argv[2]), shut
    for kind in kLists:
        threading.Thread(target=world.follow, args=(kind,), daemon=True).start()
    seen = None
    while True:
        with world.changed:
            world.changed.wait_for(lambda: world.objects != seen and None not in world.objects.values())
            seen = dict(world.objects)
        chains = chains_of(seen)
        if chains != written:
            write(chains, written)
            written = chains
            print(f"{len(running(seen))} pods, {len(seen['policies'])} policies", flush=True)


main()
