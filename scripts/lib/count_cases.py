"""Counts Catch2 cases in the JUnit file that ctest wrote, or in the --log of one program: prints "passed failed".

A row is one test program. One that failed without Catch2's closing line (a crash, a time-out) is one failed case,
and so is a row that did not run at all: silence is never a success.
"""
import re
import sys
import xml.etree.ElementTree as tree

# "All tests passed (12 assertions in 3 test cases)" or "test cases: 3 | 2 passed | 1 failed"
ALL_PASSED = re.compile(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", re.M)
SOME = re.compile(r"^test cases:(.*)$", re.M)


def part(line, word):
    found = re.search(rf"(\d+) {word}", line)
    return int(found.group(1)) if found else 0


def count(out, ran_well):
    whole = ALL_PASSED.findall(out)
    if whole and ran_well:
        return int(whole[-1]), 0
    some = SOME.findall(out)
    if some:
        passed, failed = part(some[-1], "passed"), part(some[-1], "failed")
        return passed, failed if ran_well else max(failed, 1)
    return (1, 0) if ran_well else (0, 1)


def main():
    if sys.argv[1] == "--log":
        with open(sys.argv[2], errors="replace") as log:
            out = log.read()
        rows = [count(out, ALL_PASSED.search(out) is not None)]
    else:
        rows = [
            count(row.findtext("system-out") or "", row.get("status") == "run")
            for row in tree.parse(sys.argv[1]).getroot().iter("testcase")
        ]
    if not rows:
        rows = [(0, 1)]
    print(sum(passed for passed, _ in rows), sum(failed for _, failed in rows))


main()
