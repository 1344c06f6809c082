"""Reads `berth audit migration_proofs --output json` on stdin and says each proof in a line a machine, by step."""
import json
import sys

STEPS = ["read-configs", "hand-over", "seed-seat", "release-host", "remove-cli-path"]


def names(values):
    return ", ".join(values) if values else "none"


def kept_running(containers):
    return (f"{containers['same']} containers with the same pid and start, {len(containers['restarted'])} restarted, "
            f"{len(containers['ended'])} ended by themselves")


def read_configs(proof):
    owners = [f"{key['key']} ({key['owner']})" for key in proof["keys"] if key["owner"] != "flag"]
    file = proof["file"]["sha256"][:12] if proof["file"]["exists"] else "no file"
    return [f"{proof['containers']['held']} held and {proof['containers']['strays']} stray containers; {file}",
            f"keys: {names(owners)}"]


def hand_over(proof):
    file, records = proof["file"], proof["records"]
    return [kept_running(proof["containers"]),
            f"file {file['sha256_before'][:12]} -> {file['sha256'][:12]}; the engine has taken "
            f"{names(proof['keys']['taken'])}; waiting for its next start: {names(proof['keys']['waiting'])}",
            f"given back: {names(records['given_back'])}; carried: {names(records['carried'])}"]


def seed_seat(proof):
    seat, events = proof["seat"], proof["probe"]["events"]
    return [f"held by {seat['module']}: {seat['engine']['name']} {seat['engine']['version']} at {seat['engine']['socket']}",
            f"a probe made by {proof['probe']['path']} arrived as events {events['created']} and {events['removed']}",
            f"where unheld, refused: {proof['refused_where_unheld']['detail']}"]


def release(proof):
    return [f"host {proof['previous']} -> {proof['version']}, path {proof['path']}, command-line path {proof['cli_path']}; "
            f"apply {proof['report']['result']}; probe by {proof['probe']['path']}", kept_running(proof["containers"])]


SAYS = {1: read_configs, 2: hand_over, 3: seed_seat, 4: release, 5: release}


def main():
    rows = json.load(sys.stdin)
    for number, name in enumerate(STEPS, start=1):
        print(f"step {number}, {name}")
        for row in (r for r in rows if r["step"] == number):
            proof = row["proof"] if isinstance(row["proof"], dict) else json.loads(row["proof"] or "null")
            lines = SAYS[number](proof) if proof else [row["error"] or "no proof"]
            for head, line in zip([row["machine"]] + [""] * len(lines), lines):
                print(f"  {head:<9} {row['state'] if head else '':<5} {line}")
    print("Each proof whole: berth audit migration_proofs --output json")


main()
