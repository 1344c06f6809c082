#!/usr/bin/env python3
"""schema/documents/ against what berth ships, what docs/formats.md shows, and what must be refused.

The programs' own strict parsers are the truth; this keeps the published schemas in step with them.
Usage: documents_test.py TREE
"""
import copy
import json
import os
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    print("SKIPPED: schema/documents needs python3-jsonschema, which is not here", file=sys.stderr)
    sys.exit(1 if os.environ.get("BERTH_NO_SKIP") == "1" else 0)

TREE = pathlib.Path(sys.argv[1])
SCHEMAS = {p.name.removesuffix(".schema.json"): json.loads(p.read_text())
           for p in sorted((TREE / "schema/documents").glob("*.schema.json"))}
failures = []


def check(what, ok, said=""):
    if not ok:
        failures.append(f"{what}: {said}")


def refusal(kind, document):
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(SCHEMAS[kind]).iter_errors(document))
    return "" if error is None else f"{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def taken(kind, document, what):
    said = refusal(kind, document)
    check(f"{what} as {kind}", not said, said)


def changed(document, path, value):
    """The document with one member put in the place of another; `path` as in "a.0.b"."""
    document = copy.deepcopy(document)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at = document
    for part in way:
        at = at[part]
    at[last] = value
    return document


def example(heading):
    """The first JSON block under a heading of docs/formats.md, its stand-ins made values."""
    text = (TREE / "docs/formats.md").read_text()
    section = re.search(rf"^#+ {re.escape(heading)}.*?^```json\n(.*?)^```", text, re.M | re.S)
    for stand_in, value in (("<sha256>", "0" * 64), ("<32 hex>", "0" * 32), ('"sha256": "…"', f'"sha256": "{"0" * 64}"')):
        section_text = section[1] if stand_in == "<sha256>" else section_text
        section_text = section_text.replace(stand_in, value)
    return json.loads(section_text)


def lines_of(heading):
    """The JSON documents of a block that has one a line (or one over two lines)."""
    text = (TREE / "docs/formats.md").read_text()
    block = re.search(rf"^#+ {re.escape(heading)}.*?^```json\n(.*?)^```", text, re.M | re.S)[1]
    decoder, at, found = json.JSONDecoder(), 0, []
    while block[at:].strip():
        at += len(block[at:]) - len(block[at:].lstrip())
        document, at = decoder.raw_decode(block, at)
        found.append(document)
    return found


for kind, schema in SCHEMAS.items():
    try:
        jsonschema.Draft202012Validator.check_schema(schema)
    except jsonschema.SchemaError as error:
        check(kind, False, error.message)
check("schemas", set(SCHEMAS) == {"event", "fleet", "holder", "host", "module", "push", "report", "seat", "seat_file"}, str(set(SCHEMAS)))

for path in sorted((TREE / "schema/modules").glob("*.json")):
    taken("module", json.loads(path.read_text()), path.name)
for path in sorted((TREE / "scripts/practice/modules").glob("*.json")):
    taken("module", json.loads(path.read_text()), path.name)
for path in sorted((TREE / "schema/seats").glob("*.json")):
    taken("seat", json.loads(path.read_text()), path.name)

host, holder, seat_file = example("host.json"), example("holder.json"), example("Seat file")
fleet, push = example("Fleet document"), example("Push")
push["kind"] = "back_out"  # the example shows `restores` too
for kind, document in (("host", host), ("holder", holder), ("seat_file", seat_file), ("fleet", fleet), ("push", push)):
    taken(kind, document, "the example of docs/formats.md")
for resource in lines_of("Resources, as resolved in a push"):
    taken("push", changed(push, "declaration.modules.0.resources", [resource]), f"the resource {resource['id']}")

docker = json.loads((TREE / "schema/modules/docker.json").read_text())
seat = json.loads((TREE / "schema/seats/node-container-runtime.json").read_text())
report = {"machine": "alder", "store": "0a1b2c3d", "seq": 1, "push_id": None, "at": "2026-01-02T03:04:05Z", "result": "unchanged",
          "path": "holder", "seat": {"name": "node-container-runtime", "held": True}, "resources": [], "host_version": "1.1.0",
          "cli_path": "present", "duration_ms": 12}
event = {"id": "alder:0a1b2c3d:7", "machine": "alder", "kind": "died", "at": "2026-01-02T03:04:05Z", "inferred": False,
         "container": "c" * 64, "name": "web", "image": "x:1", "mesh_held": False, "assignment": None, "exit_code": 1}
gap = {"id": "alder:0a1b2c3d:8", "machine": "alder", "kind": "gap", "at": "2026-01-02T03:04:05Z", "inferred": False,
       "from": "2026-01-02T03:04:05Z", "to": "2026-01-02T03:04:06Z", "cause": "engine restarted", "suppressed": 0}
taken("report", report, "a report")
taken("event", event, "an event")
taken("event", gap, "a gap")

whole = {"module": docker, "seat": seat, "host": host, "holder": holder, "seat_file": seat_file, "fleet": fleet, "push": push,
         "report": report, "event": event}
for kind, document in whole.items():
    check(f"{kind} with an unknown member", refusal(kind, {**document, "colour": "red"}), "was taken")
for kind, path, value in (
        ("module", "settings.live-restore.cost", "free"), ("module", "resources.0.path", "/x"), ("module", "name", "We b"),
        ("module", "resources.9.on_change.do", "stop"), ("module", "settings.keep", docker["settings"]["socket"]),
        ("seat", "scope", "world"), ("seat", "name", "container-runtime"),
        ("host", "store", "relative"), ("host", "apply_every_s", 0), ("host", "bus.url", "10.0.0.2"),
        ("holder", "socket_uids", []), ("holder", "engine.kind", "lxc"),
        ("seat_file", "grants.0.verbs", ["*"]), ("seat_file", "stream", "events"),
        ("fleet", "machines.alder.machine_id", "x"), ("fleet", "grants.1.verbs", ["*"]), ("fleet", "max_parallel", 0),
        ("fleet", "releases.with_holder.platforms.debian-12", {"artifact": "ftp://x", "sha256": "0" * 64, "signature": "s"}),
        ("push", "kind", "hand_over"), ("push", "token", -1), ("push", "expect.file", "abc"),
        ("push", "declaration.modules.0.resources.0.into", {"dns": None}),
        ("report", "path", "docker"), ("report", "seq", 0), ("event", "kind", "exec"), ("event", "container", None)):
    check(f"{kind} with {path} = {value!r}", refusal(kind, changed(whole[kind], path, value)), "was taken")

print("\n".join(failures) if failures else f"{len(SCHEMAS)} schemas hold")
sys.exit(1 if failures else 0)
