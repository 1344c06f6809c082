"""Prints the first of the given subnets that overlaps none of those on stdin; exits 1 naming what is in the way."""
import ipaddress
import sys

taken = []
for word in sys.stdin.read().split():
    try:
        taken.append(ipaddress.ip_network(word, strict=False))
    except ValueError:
        pass  # "default", "blackhole" and the like

in_the_way = []
for text in sys.argv[1:]:
    try:
        wanted = ipaddress.ip_network(text)
    except ValueError as error:
        sys.exit(f"{text}: {error}")
    if wanted.version != 4 or wanted.num_addresses < 16:
        sys.exit(f"{text}: an IPv4 subnet with room for 16 addresses is needed")
    clash = [str(t) for t in taken if t.version == 4 and t.prefixlen > 0 and wanted.overlaps(t)]
    if not clash:
        print(wanted)
        sys.exit(0)
    in_the_way.append(f"{text} is taken here: it overlaps {', '.join(sorted(set(clash)))}")
sys.exit("\n".join(in_the_way))
