"""The practice fleet's JSON documents, on stdout: push, bundle, host, fleet, broker (see usage below).

Everything is read from the state folder that scripts/practice-fleet keeps and from the files beside this one.
"""
import argparse
import datetime
import json
import pathlib
import uuid

HERE = pathlib.Path(__file__).parent
FLEET = "mesh"
REGISTRY = "registry.mesh:5000"
MACHINES = ["alder", "birch", "cedar", "dogwood"]
WANTED = {
    "alder": ["docker", "broker", "web"],
    "birch": ["docker", "dnsmasq", "private-network", "web"],
    "cedar": ["docker", "web"],
    "dogwood": ["docker", "web"],
}
BROKER = {
    "image": "berth-broker:1",
    "network-mode": "host",
    "volumes": [
        {"type": "bind", "source": "/etc/nats", "target": "/etc/nats", "read_only": True},
        {"type": "bind", "source": "/var/lib/nats", "target": "/var/lib/nats"},
    ],
}


def machine_id(state, machine):
    return (state / "machines" / machine / "machine-id").read_text().strip()


def addresses(state):
    return json.loads((state / "addresses.json").read_text())


def bus_url(state):
    return f"nats://{addresses(state)['alder']}:4222"


def module(state, name):
    text = (HERE / "start" / f"{name}.json").read_text()
    return json.loads(text.replace("@RESOLVER@", addresses(state)["alder"]))


def push(state, machine, sequence, modules):
    """What the old host was told by file: no token of any runner, so the lowest."""
    return {
        "push_id": str(uuid.uuid4()), "fleet": FLEET, "machine": machine, "machine_id": machine_id(state, machine),
        "token": 0, "runner": "by hand", "sequence": sequence, "kind": "apply", "give_back": [],
        "declaration": {"modules": [module(state, name) for name in modules]},
        "composed_at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def bundle(state, machine):
    """The foundation bundle of the first machine: the engine's package and service, under bare ids."""
    return {
        "fleet": FLEET, "machine": machine,
        "resources": [
            {"id": "container-runtime", "type": "package", "name": "docker.io"},
            {"id": "container-runtime-running", "type": "service", "unit": "docker.service", "running": True,
             "enabled": True},
        ],
    }


def host(state, machine):
    return {
        "fleet": FLEET, "machine": machine,
        "bus": {"url": bus_url(state), "user": f"host-{machine}", "password_file": "/etc/berth/host.password"},
        "subjects": {verb: f"{FLEET}.{machine}.host.{verb}" for verb in ("push", "ask", "report")},
        "store": "/var/lib/berth/host.db", "holder_socket": "/run/berth/holder.sock",
        "seat_file": "/etc/berth/seat.json", "releases": "/opt/berth/releases",
        "release_keys": [(state / "secrets" / "release-key.pem.pub").read_text()],
        "apply_every_s": 20, "engine_file": "/etc/docker/daemon.json", "engine_unit": "docker.service",
    }


def fleet(state, platform):
    def machine(name):
        document = {
            "machine_id": machine_id(state, name), "platform": platform, "account": "operator",
            "capabilities": ["package-manager", "service-manager", "privileged"], "modules": WANTED[name],
        }
        if name == "dogwood":  # its file says false by hand: what step 1 would ask
            document["settings"] = {"docker": {"live-restore": True}}
        if name == "birch":  # its dns goes with dnsmasq's record, and no module takes it over
            document["settings"] = {"docker": {"resolver": None}}
        return document

    def release(variant):
        return json.loads((state / "secrets" / f"{variant}.json").read_text())

    return {
        "name": FLEET,
        "bus": {"url": bus_url(state), "user": "operator", "password_file": "secrets/operator.password",
                "broker": {"machine": "alder", "module": "broker"}},
        "manifests": ["modules/web.json"],
        "reach": {"mesh-artifact-store": REGISTRY, "mesh-resolver": addresses(state)["alder"]},
        "machines": {name: machine(name) for name in MACHINES},
        "settings": {"broker": BROKER},
        "grants": [
            {"caller": "operator", "machine": "*", "verbs": ["*"], "class": "read"},
            {"caller": "operator", "machine": "*", "verbs": ["start", "stop", "restart", "create", "remove"],
             "class": "act"},
            {"caller": "console", "machine": "*", "verbs": ["*"], "class": "read"},
        ],
        "releases": {variant: release(variant) for variant in ("start", "with_holder", "without_cli")},
        "canary": ["alder"], "max_parallel": 2,
    }


def users():
    return ["operator", "console"] + [f"{kind}-{name}" for name in MACHINES for kind in ("host", "holder")]


def variable(user):
    return user.upper().replace("-", "_") + "_PASSWORD"


def secrets(state):
    password = lambda user: (state / "secrets" / f"{user}.password").read_text().strip()
    return "".join(f'{variable(user)}: "{password(user)}"\n' for user in users())


def permissions(_state):
    """Written by hand before the seat was thought of: holders and the console may do nothing yet."""
    def rights(user):
        if user == "operator":
            return '{publish: ">", subscribe: ">"}'
        if not user.startswith("host-"):
            return '{publish: {deny: ">"}, subscribe: {deny: ">"}}'
        own = f"{FLEET}.{user.removeprefix('host-')}.host"
        return (f'{{publish: {{allow: ["{own}.report", "_INBOX.operator.>"]}}, '
                f'subscribe: {{allow: ["{own}.push", "{own}.ask", "_INBOX.{user}.>"]}}}}')

    rows = ",\n".join(f'    {{user: "{u}", password: ${variable(u)}, permissions: {rights(u)}}}' for u in users())
    return f'include "secrets.conf"\nauthorization {{\n  users = [\n{rows}\n  ]\n}}\n'


NATS_CONF = """\
server_name: mesh
listen: "0.0.0.0:4222"
jetstream { store_dir: "/var/lib/nats" }
include "permissions.conf"
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--state", type=pathlib.Path, required=True)
    what = parser.add_subparsers(dest="what", required=True)
    of_push = what.add_parser("push")
    of_push.add_argument("machine")
    of_push.add_argument("sequence", type=int)
    of_push.add_argument("modules", nargs="+")
    for name in ("bundle", "host"):
        what.add_parser(name).add_argument("machine")
    what.add_parser("fleet").add_argument("platform")
    for name in ("users", "nats.conf", "secrets.conf", "permissions.conf"):
        what.add_parser(name)
    args = parser.parse_args()
    texts = {"users": lambda: "\n".join(users()) + "\n", "nats.conf": lambda: NATS_CONF,
             "secrets.conf": lambda: secrets(args.state), "permissions.conf": lambda: permissions(args.state)}
    if args.what in texts:
        print(texts[args.what](), end="")
        return
    documents = {"push": lambda: push(args.state, args.machine, args.sequence, args.modules),
                 "bundle": lambda: bundle(args.state, args.machine), "host": lambda: host(args.state, args.machine),
                 "fleet": lambda: fleet(args.state, args.platform)}
    print(json.dumps(documents[args.what](), indent=2))


if __name__ == "__main__":
    main()
