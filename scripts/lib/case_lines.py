"""Prints a line a test case of a JUnit report: "ok - NAME" or "not ok - NAME", with what failed on stderr.

A report without a case is one failure: something that should have run did not.
"""
import sys
import xml.etree.ElementTree as xml


def main(path, what):
    cases = list(xml.parse(path).getroot().iter("testcase"))
    bad = {}
    for case in cases:
        name = case.get("name")
        faults = [child for child in case if child.tag in ("failure", "error")]
        bad.setdefault(name, []).extend(fault.text or fault.get("message", "") for fault in faults)
    for name, faults in bad.items():
        print(f"{'not ok' if faults else 'ok'} - {what}: {name}")
        for fault in faults:
            print("  #", "\n  # ".join(fault.strip().splitlines()), file=sys.stderr)
    if not cases:
        print(f"not ok - {what}: no case ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
