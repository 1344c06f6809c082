"""Prints what failed in the JUnit file that ctest wrote: of each failed program its name and the first places that say why.

The end of a log is seldom where the failure is; a build server that keeps only what was printed needs this.
"""
import sys
import xml.etree.ElementTree as tree

PLACES, BEFORE, AFTER = 5, 12, 14


def says_why(line):
    return "FAILED:" in line or line.startswith("not ok") or "ERROR: " in line or "runtime error:" in line


def excerpts(lines):
    shown = 0
    for at, line in enumerate(lines):
        if not says_why(line) or at < shown:
            continue
        yield lines[max(shown, at - BEFORE) : at + AFTER]
        shown = at + AFTER


def main():
    for row in tree.parse(sys.argv[1]).getroot().iter("testcase"):
        if row.get("status") == "run":
            continue
        lines = (row.findtext("system-out") or "").splitlines()
        print(f"== {row.get('name')} did not pass")
        for place in list(excerpts(lines))[:PLACES] or [lines[-30:]]:
            print("\n".join(line[:300] for line in place), end="\n\n")


main()
