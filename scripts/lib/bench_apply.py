"""Measures berth-host's apply of many containers beside others that do the same, turn by turn in one run.

Makes containers of its own (berth-bench-*) on the engine it is given and removes them. Prints a row a way: what was
measured, how often, p50, p99, and the ratio to berth. Peers that are not installed are named and left out.
"""
import argparse
import http.client
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

IMAGE = "berth-bench-busybox:1"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("engine", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


def engine(sock, method, target, body=None, kind="application/json"):
    connection = UnixConnection(sock)
    connection.request(method, target, body, {"Content-Type": kind})
    answer = connection.getresponse()
    return answer.status, answer.read()


def run(argv, **more):
    done = subprocess.run(argv, capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stdout[-800:]}\n{done.stderr[-2000:]}")
    return done.stdout


def timed(act):
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def make_image(sock, work):
    root = os.path.join(work, "image")
    os.makedirs(os.path.join(root, "bin"))
    shutil.copy(shutil.which("busybox"), os.path.join(root, "bin", "busybox"))
    os.symlink("busybox", os.path.join(root, "bin", "sleep"))
    tar = subprocess.run(["tar", "-C", root, "-c", "."], capture_output=True, check=True).stdout
    repo, tag = IMAGE.split(":")
    status, said = engine(sock, "POST", f"/v1.41/images/create?fromSrc=-&repo={repo}&tag={tag}", tar, "application/x-tar")
    if status != 200:
        sys.exit(f"the engine takes no image: {said.decode()}")


class Berth:
    name = "berth-host apply"

    def __init__(self, args, work):
        self.args, self.work, self.sequence = args, work, 0
        self.holder_socket = os.path.join(work, "holder.sock")
        self.write("holder.json", {"machine": "bench", "engine": {"socket": args.engine}, "socket": self.holder_socket,
                                   "socket_uids": [0], "store": os.path.join(work, "holder.db"),
                                   "seat": os.path.join(work, "seat.json")})
        self.config = self.write("host.json", {
            "fleet": "bench", "machine": "bench", "store": os.path.join(work, "host.db"), "holder_socket": self.holder_socket,
            "subjects": {"push": "bench.bench.host.push", "ask": "bench.bench.host.ask", "report": "bench.bench.host.report"},
            "seat_file": os.path.join(work, "seat.json"), "releases": os.path.join(work, "releases"), "release_keys": [], "apply_every_s": 300})
        log = open(os.path.join(work, "holder.log"), "w")
        self.holder = subprocess.Popen([os.path.join(args.build, "holder/berth-holder"), "run", "--config",
                                        os.path.join(work, "holder.json")], stdout=log, stderr=log)
        for _ in range(200):
            if os.path.exists(self.holder_socket):
                break
            time.sleep(0.05)
        else:
            sys.exit("berth-holder does not serve: " + open(os.path.join(work, "holder.log")).read()[-800:])

    def write(self, name, document):
        path = os.path.join(self.work, name)
        with open(path, "w") as out:
            json.dump(document, out)
        return path

    def containers(self, count):
        return [{"id": f"c{i}", "type": "container",
                 "spec": {"name": f"berth-bench-a{i}", "image": IMAGE, "command": ["sleep", "1000000"],
                          "network_mode": "none", "stop_grace_period": "0s"}} for i in range(count)]

    def apply(self, count, give_back=()):
        self.sequence += 1
        modules = [{"name": "bench", "assignment": "bench", "claims": [], "resources": self.containers(count)}] if count else []
        machine_id = open("/etc/machine-id").read().strip()
        path = self.write("push.json", {
            "push_id": f"p{self.sequence}", "fleet": "bench", "machine": "bench", "machine_id": machine_id, "token": 1,
            "runner": "bench", "sequence": self.sequence, "kind": "apply", "give_back": list(give_back),
            "declaration": {"modules": modules}, "composed_at": "2026-01-01T00:00:00Z"})
        program = os.path.join(self.args.build, "host/programs/berth-host-without-cli")
        report = json.loads(run([program, "--config", self.config, "apply", path]))
        if report["result"] not in ("converged", "unchanged"):
            sys.exit(f"the apply is {report['result']}: {report.get('cause')}")
        return report

    def clear(self, count):
        self.apply(0, [f"bench.c{i}" for i in range(count)])

    def end(self):
        self.holder.terminate()
        self.holder.wait(20)


class Compose:
    def __init__(self, args, work, command, name):
        self.command, self.name, self.folder = command, name, os.path.join(work, "compose")
        os.makedirs(self.folder, exist_ok=True)
        # Its default of 64 at once can wait for itself for ever with a hundred services.
        self.environment = dict(os.environ, DOCKER_HOST="unix://" + args.engine, COMPOSE_PARALLEL_LIMIT="400")

    def apply(self, count):
        services = {f"s{i}": {"image": IMAGE, "command": ["sleep", "1000000"], "network_mode": "none", "stop_grace_period": "0s",
                              "container_name": f"berth-bench-b{i}"} for i in range(count)}
        with open(os.path.join(self.folder, "docker-compose.yml"), "w") as out:
            json.dump({"version": "2.4", "services": services}, out)
        run(self.command + ["-p", "berthbench", "up", "-d"], cwd=self.folder, env=self.environment)

    def clear(self, count):
        run(self.command + ["-p", "berthbench", "down", "-t", "0"], cwd=self.folder, env=self.environment)


class Ansible:
    """One play over all containers with community.docker's docker_container, on this computer."""

    every = 5  # rounds to one of it: seconds a container

    def __init__(self, args, work):
        version = run(["ansible", "--version"]).splitlines()[0]
        self.args, self.name, self.work = args, f"Ansible docker_container ({version})", work
        self.environment = dict(os.environ, ANSIBLE_LOCALHOST_WARNING="False", ANSIBLE_INVENTORY_UNPARSED_WARNING="False",
                                ANSIBLE_HOME=os.path.join(work, "ansible"))

    def apply(self, count):
        play = [{"hosts": "localhost", "connection": "local", "gather_facts": False,
                 "vars": {"ansible_python_interpreter": "/usr/bin/python3"},
                 "tasks": [{"name": "containers", "loop": [f"berth-bench-c{i}" for i in range(count)],
                            "community.docker.docker_container": {
                                "name": "{{ item }}", "image": IMAGE, "command": ["sleep", "1000000"], "network_mode": "none",
                                "state": "started", "docker_host": "unix://" + self.args.engine}}]}]
        path = os.path.join(self.work, "play.yml")
        with open(path, "w") as out:
            json.dump(play, out)
        run(["ansible-playbook", path], env=self.environment, cwd=self.work)

    def clear(self, count):
        for i in range(count):
            engine(self.args.engine, "DELETE", f"/v1.41/containers/berth-bench-c{i}?force=1&v=1")


class Serial:
    """The floor of making containers: create and start, one after the other, nothing compared or kept."""

    name = "the API, one request after the other"

    def __init__(self, args):
        self.args = args

    def apply(self, count):
        for i in range(count):
            body = json.dumps({"Image": IMAGE, "Cmd": ["sleep", "1000000"], "HostConfig": {"NetworkMode": "none"}})
            for status, said in (engine(self.args.engine, "POST", f"/v1.41/containers/create?name=berth-bench-d{i}", body),
                                 engine(self.args.engine, "POST", f"/v1.41/containers/berth-bench-d{i}/start")):
                if status not in (201, 204):
                    sys.exit(f"the engine answers {status}: {said.decode()}")

    def clear(self, count):
        for i in range(count):
            engine(self.args.engine, "DELETE", f"/v1.41/containers/berth-bench-d{i}?force=1&v=1")


def peers(args, work):
    found = []
    if shutil.which("docker-compose"):
        version = run(["docker-compose", "version", "--short"]).strip()
        found.append(Compose(args, work, ["docker-compose"], f"compose {version}"))
    if subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        found.append(Compose(args, work, ["docker", "compose"], "docker compose"))
    has_module = subprocess.run(["/usr/bin/python3", "-c", "import docker"], capture_output=True).returncode == 0
    if shutil.which("ansible-playbook") and has_module:
        found.append(Ansible(args, work))
    for way, program in (("compose v1", "docker-compose"), ("Ansible's docker_container", "ansible-playbook")):
        if not shutil.which(program):
            print(f"{way} is left out: {program} is not installed", file=sys.stderr)
    return found


def list_floor(args):
    """A fresh process that asks the engine for its list and nothing else."""
    run([sys.executable, "-c",
         f"import sys; sys.path.insert(0, {os.path.dirname(os.path.abspath(__file__))!r}); import bench_apply; "
         f"bench_apply.engine({args.engine!r}, 'GET', '/v1.41/containers/json?all=1')"])


def row(what, times, base):
    times = sorted(times)
    p50, p99 = statistics.median(times), times[min(len(times) - 1, int(len(times) * 0.99))]
    print(f"| {what} | {len(times)} | {p50:.1f} | {p99:.1f} | {p50 / base:.2f} |")
    return p50


def show(title, times, berth):
    print(f"\n{title}; load {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors\n")
    print("| what | n | p50 ms | p99 ms | against berth |\n|---|---|---|---|---|")
    base = statistics.median(times[berth])
    for way in times:
        row(way.name, times[way], base)
    sys.stdout.flush()


def beside(args, berth, other):
    """Applies that change nothing, by turns; and the floor, a fresh process that asks for the list alone."""
    ways = [berth, other] if other else [berth]
    for way in ways[1:]:
        way.apply(args.containers)
    times, floor = {way: [] for way in ways}, []
    for round_ in range(args.rounds):
        for way in times:
            if round_ % getattr(way, "every", 1) == 0:
                times[way].append(timed(lambda way=way: way.apply(args.containers)))
        floor.append(timed(lambda: list_floor(args)))
    show(f"no-op apply of {args.containers}", times, berth)
    row("a fresh process that only lists", floor, statistics.median(times[berth]))
    for way in ways[1:]:
        way.clear(args.containers)


def measure(args, work):
    make_image(args.engine, work)
    berth, others = Berth(args, work), peers(args, work)
    try:
        cold = {way: [] for way in [berth, Serial(args), *others]}
        for _ in range(args.cold_rounds):
            for way in cold:
                cold[way].append(timed(lambda way=way: way.apply(args.cold)))
                way.clear(args.cold)
        show(f"cold apply of {args.cold}", cold, berth)
        berth.apply(args.containers)
        for other in others or [None]:  # one at a time: every container on the engine is in berth's live list
            beside(args, berth, other)
        berth.clear(args.containers)
    finally:
        berth.end()
        for kind in "abcd":
            for i in range(max(args.containers, args.cold)):
                engine(args.engine, "DELETE", f"/v1.41/containers/berth-bench-{kind}{i}?force=1&v=1")
        engine(args.engine, "DELETE", f"/v1.41/images/{IMAGE}?force=1")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--engine", default="/var/run/docker.sock")
    parser.add_argument("--containers", type=int, default=100)
    parser.add_argument("--cold", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--cold-rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="berth-bench-") as work:
        measure(args, work)


if __name__ == "__main__":
    main()
