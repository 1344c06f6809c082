"""Counts what was restarted between two measurements of a machine's running containers.

A measurement is what `docker inspect` said, a line a container: id, name, pid, started_at, restart count. Prints the
number; what it counted, and what ended or came meanwhile, goes to stderr. A container named with --except was taken
away on purpose in between.
"""
import sys


def read(path):
    rows = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            ident, name, pid, started, restarts = line.split()
            rows[ident] = (name.lstrip("/"), pid, started, int(restarts))
    return rows


def main():
    before, after = read(sys.argv[1]), read(sys.argv[2])
    spared = set(sys.argv[4:]) if len(sys.argv) > 3 and sys.argv[3] == "--except" else set()
    count = 0
    for ident, (name, pid, started, restarts) in before.items():
        if name in spared:
            continue
        if ident not in after:
            print(f"{name}: no longer runs", file=sys.stderr)
            count += 1
        elif after[ident][1:3] != (pid, started) or after[ident][3] > restarts:
            print(f"{name}: pid {pid} -> {after[ident][1]}, started {started} -> {after[ident][2]}", file=sys.stderr)
            count += 1
    print(count)


main()
