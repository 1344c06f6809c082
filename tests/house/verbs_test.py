#!/usr/bin/env python3
"""schema/verbs/ against the verb table as the holder prints it, and against what a real holder answers.

Usage: verbs_test.py TREE BERTH_HOLDER
Engines are those of BERTH_TEST_DOCKER and BERTH_TEST_PODMAN; without either only the table is compared.
"""
import contextlib
import http.client
import json
import os
import pathlib
import re
import secrets
import socket
import subprocess
import sys
import tempfile
import time

try:
    import jsonschema
except ImportError:
    print("SKIPPED: schema/verbs needs python3-jsonschema, which is not here", file=sys.stderr)
    sys.exit(1 if os.environ.get("BERTH_NO_SKIP") == "1" else 0)

TREE, HOLDER = pathlib.Path(sys.argv[1]), sys.argv[2]
SCHEMAS = {p.name.removesuffix(".schema.json"): json.loads(p.read_text())
           for p in sorted((TREE / "schema/verbs").glob("*.schema.json"))}
IMAGE = "berth-test-busybox:latest"
failures = []
answered = set()


def check(what, ok, said=""):
    if not ok:
        failures.append(f"{what}: {said}")


def refusal(verb, part, value):
    validator = jsonschema.Draft202012Validator(SCHEMAS[verb]["properties"][part])
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    return "" if error is None else f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def table_agrees():
    """A file a verb, and the params that its row names: "tail (1-2000, 200)" is one."""
    rows = {row["name"]: row for row in json.loads(subprocess.check_output([HOLDER, "describe"]))["verbs"]}
    check("files", sorted(rows) == sorted(SCHEMAS), f"{sorted(set(rows) ^ set(SCHEMAS))}")
    for name, row in rows.items():
        if name == "create" or name not in SCHEMAS:
            continue
        named = {word for word in re.sub(r"\([^)]*\)", "", row["params"]).replace(",", " ").split() if word}
        check(name, named == set(SCHEMAS[name]["properties"]["params"]["properties"]), f"the table names {sorted(named)}")


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(self.path)


def ask(path, target, body):
    with contextlib.closing(Unix(path)) as connection:
        connection.request("POST", target, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"null")


@contextlib.contextmanager
def holder_on(engine):
    """A holder of its own on that engine; answers its socket."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/holder.sock"
        config = {"machine": "alder", "engine": {"socket": engine}, "socket": path, "store": f"{folder}/holder.db"}
        pathlib.Path(folder, "holder.json").write_text(json.dumps(config))
        with open(f"{folder}/log", "w", encoding="utf-8") as log:
            child = subprocess.Popen([HOLDER, "run", "--config", f"{folder}/holder.json"], stderr=log)
        try:
            until = time.monotonic() + 30
            while not os.path.exists(path) and child.poll() is None and time.monotonic() < until:
                time.sleep(0.05)
            if not os.path.exists(path):
                raise SystemExit(pathlib.Path(folder, "log").read_text())
            yield path
        finally:
            child.terminate()
            child.wait(30)


def call(path, verb, params):
    """Params that the schema takes are asked for; the answer must be what it says."""
    check(f"{verb} {params}", not refusal(verb, "params", params), refusal(verb, "params", params))
    status, answer = ask(path, f"/v1/verbs/{verb}", params)
    check(f"{verb} {params}", status == 200, json.dumps(answer)[:400])
    if status != 200:
        return {}
    answered.add(verb)
    check(f"the answer of {verb} {params}", not refusal(verb, "answer", answer), refusal(verb, "answer", answer))
    return answer


def every_verb(path):
    name = "bt-schema-" + secrets.token_hex(4)
    spec = {"name": name, "image": IMAGE, "command": ["sh", "-c", "echo said; while :; do sleep 1; done"],
            "network_mode": "none", "labels": {"berth-test": "schema"}}
    made = call(path, "create", spec)
    try:
        for verb, params in [("list", {"name": name}), ("list", {}), ("inspect", {}), ("inspect", {"against": spec}), ("logs", {}),
                             ("stats", {}), ("top", {}), ("signal", {"signal": "USR2"}), ("stop", {"timeout_s": 0}),
                             ("start", {}), ("restart", {"timeout_s": 0}), ("stop", {"timeout_s": 0}), ("problems", {}),
                             ("images", {"which": "used"}), ("disk_usage", {}), ("networks", {}), ("volumes", {"sizes": False}),
                             ("events", {"minutes": 1}), ("daemon_config", {}), ("unlabelled", {"limit": 5}), ("ports", {}),
                             ("prune", {"containers": True}), ("prune", {"dry_run": False, "plan": {"containers": [made.get("id", "")]}})]:
            takes = SCHEMAS[verb]["properties"]["params"]["properties"]
            if "container" in takes and (verb != "stats"):
                params = {"container": name, **params}
            call(path, verb, params)
    finally:
        ask(path, "/v1/verbs/remove", {"container": name, "force": True})
    spec["start"] = False
    call(path, "create", spec)
    call(path, "remove", {"container": name})
    refused_alike(path)


def refused_alike(path):
    """What a schema does not take is a bad_request of that verb too."""
    for verb, schema in SCHEMAS.items():
        params = {"container": "nobody"} if "container" in schema["properties"]["params"]["properties"] else {}
        for key, value in [("nonsense", 1), ("limit", 0), ("tail", 2001), ("minutes", 0), ("which", "old"), ("owner", "me"),
                           ("sizes", "yes"), ("dry_run", 1), ("timeout_s", 121), ("container", 7), ("force", "x")]:
            asked = {**params, key: value}
            if verb == "create" or not refusal(verb, "params", asked):
                continue
            status, answer = ask(path, f"/v1/verbs/{verb}", asked)
            check(f"{verb} {asked}", status == 400 and answer.get("code") == "bad_request", f"{status} {json.dumps(answer)[:200]}")


def has_image(engine):
    with contextlib.closing(Unix(engine)) as connection:
        connection.request("GET", f"/v1.41/images/{IMAGE}/json")
        return connection.getresponse().status == 200


def give_image(engine):
    """A tar of a static busybox, as the other tests import it."""
    with tempfile.TemporaryDirectory() as folder:
        script = ('mkdir -p bin tmp etc proc sys dev; cp "$(command -v busybox)" bin/busybox; '
                  'for a in sh sleep echo printf true false cat kill; do ln -s busybox bin/$a; done; tar -c .')
        tar = subprocess.check_output(["sh", "-ec", script], cwd=folder)
    with contextlib.closing(Unix(engine)) as connection:
        connection.request("POST", "/v1.41/images/create?fromSrc=-&repo=berth-test-busybox&tag=latest", tar,
                           {"Content-Type": "application/x-tar"})
        connection.getresponse().read()


def main():
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
    table_agrees()
    engines = [os.environ[name] for name in ("BERTH_TEST_DOCKER", "BERTH_TEST_PODMAN") if os.environ.get(name)]
    if not engines:
        print("SKIPPED: no engine in BERTH_TEST_DOCKER or BERTH_TEST_PODMAN: answers were not compared", file=sys.stderr)
        check("engines", os.environ.get("BERTH_NO_SKIP") != "1", "none")
    for engine in engines:
        if not has_image(engine):
            give_image(engine)
        with holder_on(engine) as path:
            every_verb(path)
    check("every verb answered", not engines or answered == set(SCHEMAS), f"not {sorted(set(SCHEMAS) - answered)}")
    print("\n".join(failures) if failures else f"{len(SCHEMAS)} verbs agree with their schemas on {len(engines)} engines")
    sys.exit(1 if failures else 0)


main()
