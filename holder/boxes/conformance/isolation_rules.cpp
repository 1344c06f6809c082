#include <cstdio>
#include <sstream>

#include "base/hash.h"
#include "holder/boxes/conformance/rule.h"

// Tried from inside: what a box can reach. Each target is reached from a login first, which may go anywhere,
// so that a failure from the box says something.
namespace berth::holder::boxes::conformance {
namespace {

/// Whether a connection is made. The image must have `nc`.
Result<bool> connects(Bench& bench, const Place& place, const std::string& host, int port) {
  const auto done = TRY(bench.shell(place, "command -v nc >/dev/null || exit 99; nc -w 2 " + host + " " +
                                               std::to_string(port) + " </dev/null >/dev/null 2>&1"));
  TRY(expect(done.exit_code != 99, "the box image has no nc: the isolation cannot be tried from inside"));
  return done.exit_code == 0;
}

/// Those of the targets that are reached from there, all tried at once.
Result<std::vector<Target>> reached(Bench& bench, const Place& place, const std::vector<Target>& targets) {
  std::string script = "command -v nc >/dev/null || exit 99\n";
  std::vector<std::string> marks;
  for (const auto& target : targets) {
    marks.push_back("berth" + random_hex(8));
    const auto at = " " + target.host + " " + std::to_string(target.port);
    script += target.kind == Target::Kind::tcp
                  ? "(nc -w 2" + at + " </dev/null >/dev/null 2>&1 && echo " + marks.back() + ") &\n"
                  : "timeout 2 tftp -g -r " + marks.back() + " -l /dev/null" + at + " >/dev/null 2>&1 &\n";
  }
  const auto done = TRY(bench.shell(place, script + "wait; exit 0"));
  TRY(expect(done.exit_code == 0, "the box image has no nc: the isolation cannot be tried from inside"));
  std::vector<Target> found;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const bool tcp = targets[i].kind == Target::Kind::tcp;
    if (tcp ? done.out.find(marks[i]) != std::string::npos : targets[i].arrived(marks[i]))
      found.push_back(targets[i]);
  }
  return found;
}

std::string told(const Target& target) {
  return target.what + " at " + target.host + ":" + std::to_string(target.port) +
         (target.kind == Target::Kind::udp ? " by UDP" : "");
}

struct Url {
  std::string host;
  int port = 0;
};
Result<Url> proxy_of(Bench& bench, const BoxId& box) {
  const auto url = TRY(bench.runtime().proxy_url(box));
  const auto colon = url.rfind(':');
  TRY(expect(url.starts_with("http://") && colon > 7, "the proxy's URL is \"" + url + "\""));
  Url parts{url.substr(7, colon - 7), std::stoi(url.substr(colon + 1))};
  const bool is_address = parts.host.find_first_not_of("0123456789.:[]") == std::string::npos;
  if (is_address) return parts;
  // A static busybox resolves names in nslookup alone.
  const auto address = TRY(bench.said(
      Place::of(box), "nslookup " + parts.host + " | awk '/^Name/{n=1} n&&/^Address/{print $2; exit}'"));
  TRY(expect(!address.empty(), parts.host + " has no address inside the box"));
  return Url{address, parts.port};
}

Result<Note> proxy_answers(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  const auto url = TRY(proxy_of(bench, box));
  TRY(expect(TRY(connects(bench, Place::of(box), url.host, url.port)),
             "the proxy at " + url.host + ":" + std::to_string(url.port) + " does not answer from inside"));
  return Note{TRY(bench.runtime().proxy_url(box))};
}

Result<Note> nothing_else_answers(Bench& bench) {
  if (const auto why = bench.world().cannot_isolate(); !why.empty()) return skip(why);
  const auto inside = Place::of(TRY(bench.running("main")));
  const auto outside = Place::of(TRY(bench.running_login()));
  const auto open = TRY(reached(bench, outside, TRY(bench.world().targets())));
  TRY(expect(!open.empty(), "a login reaches none of the targets: that a box reaches none says nothing"));
  const auto leaks = TRY(reached(bench, inside, open));
  TRY(expect(leaks.empty(), "a box reaches " + (leaks.empty() ? std::string{} : told(leaks.front()))));
  return Note{std::to_string(open.size()) + " targets, all reached from a login"};
}

Result<Note> no_other_box(Bench& bench) {
  if (const auto why = bench.world().cannot_isolate(); !why.empty()) return skip(why);
  const auto box = TRY(bench.running("main"));
  const auto other = TRY(bench.running("second"));
  TRY(bench.said(Place::of(other), "nc -l -p 7070 -e cat >/dev/null 2>&1 & sleep 0.2"));
  const auto address = TRY(bench.said(Place::of(other), "hostname -i 2>/dev/null | awk '{print $1}'"));
  TRY(expect(!address.empty(), "the other box has no address"));
  TRY(expect(TRY(connects(bench, Place::of(other), address, 7070)),
             "the other box does not even reach itself"));
  TRY(bench.said(Place::of(other), "nc -l -p 7070 -e cat >/dev/null 2>&1 & sleep 0.2"));
  TRY(expect(!TRY(connects(bench, Place::of(box), address, 7070)), "a box reaches another at " + address));
  return Note{};
}

Result<Note> no_metadata(Bench& bench) {
  if (const auto why = bench.world().cannot_isolate(); !why.empty()) return skip(why);
  const auto box = Place::of(TRY(bench.running("main")));
  std::vector<Target> addresses;
  for (const auto* host : {"169.254.169.254", "169.254.170.2", "100.100.100.200"})
    addresses.push_back({"a metadata address", host, 80});
  const auto leaks = TRY(reached(bench, box, addresses));
  TRY(expect(leaks.empty(), "a box reaches " + (leaks.empty() ? std::string{} : told(leaks.front()))));
  const auto open = TRY(reached(bench, Place::of(TRY(bench.running_login())), addresses));
  return Note{open.empty() ? "nothing answers at them here, from a login either"
                           : "a login reaches " + told(open.front())};
}

Result<Note> no_names(Bench& bench) {
  if (const auto why = bench.world().cannot_isolate(); !why.empty()) return skip(why);
  const auto box = Place::of(TRY(bench.running("main")));
  const auto name = random_hex(8) + ".example.com";
  const auto servers = TRY(bench.said(box, "awk '/^nameserver/{print $2}' /etc/resolv.conf"));
  TRY(expect(servers.find_first_not_of("0123456789.\n") == std::string::npos,
             "its resolvers are " + servers));
  // SERVFAIL is the word of an engine's own resolver that has nobody to ask; the others come from outside.
  const auto answer =
      TRY(bench.shell(box,
                      "for s in $(awk '/^nameserver/{print $2}' /etc/resolv.conf) 1.1.1.1; do timeout 2 "
                      "nslookup " +
                          name + " $s; done 2>&1 | grep -E 'NXDOMAIN|Name:' || true"));
  TRY(expect(answer.out.empty(), "a name was asked of somebody outside: " + answer.out));
  return Note{};
}

/// The link-local address that a neighbour with that hardware address has, unless it was given another.
std::string link_local(const std::string& hardware) {
  unsigned int b[6];
  if (std::sscanf(hardware.c_str(), "%x:%x:%x:%x:%x:%x", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]) != 6)
    return {};
  char text[64];
  std::snprintf(text, sizeof(text), "fe80::%x:%x:%x:%x%%eth0", (b[0] ^ 2U) << 8 | b[1], b[2] << 8 | 0xffU,
                0xfe00U | b[3], b[4] << 8 | b[5]);
  return text;
}

/// What answers the targets' ports, at the addresses that a place's neighbours have by themselves.
Result<std::vector<Target>> beside(Bench& bench, const Place& place) {
  std::vector<Target> found;
  std::istringstream lines{TRY(bench.said(place, "awk 'NR > 1 {print $4}' /proc/net/arp"))};
  for (std::string hardware; lines >> hardware;) {
    const auto address = link_local(hardware);
    if (address.empty()) continue;
    for (const auto& target : TRY(bench.world().targets()))
      if (target.kind == Target::Kind::tcp) found.push_back({"a neighbour", address, target.port});
  }
  return found;
}

Result<Note> no_ipv6(Bench& bench) {
  if (const auto why = bench.world().cannot_isolate(); !why.empty()) return skip(why);
  const auto box = Place::of(TRY(bench.running("main")));
  const auto addresses =
      TRY(bench.said(box, "awk '$6 != \"lo\" && $4 != \"20\"' /proc/net/if_inet6 2>/dev/null || true"));
  TRY(expect(addresses.empty(), "a box has an IPv6 address: " + addresses));
  TRY(expect(!TRY(connects(bench, box, "ff02::1%eth0", 80)), "a box sends to all IPv6 neighbours"));
  const auto neighbours = TRY(beside(bench, box));
  const auto leaks = TRY(reached(bench, box, neighbours));
  TRY(expect(leaks.empty(), "a box reaches " + (leaks.empty() ? std::string{} : told(leaks.front()))));
  return Note{std::to_string(neighbours.size()) + " ports tried at its neighbours' link-local addresses"};
}

Result<Note> fails_closed(Bench& bench) {
  const auto box = TRY(bench.running("main"));
  const auto url = TRY(proxy_of(bench, box));
  TRY(bench.world().stop_proxy());
  const auto answered = connects(bench, Place::of(box), url.host, url.port);
  const auto whole = bench.runtime().isolated(box);
  const auto health = bench.runtime().health();
  std::string open;
  if (bench.world().cannot_isolate().empty()) {
    const auto leaks = TRY(reached(bench, Place::of(box), TRY(bench.world().targets())));
    if (!leaks.empty()) open = told(leaks.front());
  }
  TRY(bench.world().start_proxy());
  TRY(expect(answered && !*answered, "a proxy that died still answers"));
  TRY(expect(open.empty(), "with the proxy dead a box reaches " + open));
  TRY(expect(whole && !*whole, "a box whose proxy died is said to be whole"));
  TRY(expect(health.answering && !health.proxy_ready && !health.cause.empty(),
             "health does not tell that the proxy died"));
  TRY(bench.runtime().ensure(box, bench.spec()));
  TRY(proxy_answers(bench));
  return Note{};
}

Result<Note> no_rights(Bench& bench) {
  const auto box = Place::of(TRY(bench.running("main")));
  const auto status = TRY(bench.said(box,
                                     "grep -E '^(CapEff|CapPrm|CapBnd|NoNewPrivs)' /proc/self/status | awk "
                                     "'{print $2}' | sort -u | tr '\\n' ' '"));
  TRY(expect(status == "0000000000000000 1 ", "a box has rights: " + status));
  TRY(expect(
      TRY(bench.shell(box,
                      "ip route add 10.0.0.0/8 dev eth0 2>/dev/null || ip link set eth0 down 2>/dev/null"))
              .exit_code != 0,
      "a box changes its routes"));
  return Note{};
}

constexpr Rule kIsolationRules[] = {
    {"isolation.proxy_answers", "From inside, the proxy answers at proxy_url.", proxy_answers},
    {"isolation.nothing_else",
     "From inside, no container, no address or published port of the machine answers.", nothing_else_answers},
    {"isolation.other_boxes", "From inside, no other box answers.", no_other_box},
    {"isolation.metadata", "From inside, no metadata address answers.", no_metadata},
    {"isolation.names", "From inside, no name is asked of anybody outside.", no_names},
    {"isolation.ipv6", "A box has no IPv6 address but of its own link, and nothing answers there.", no_ipv6},
    {"isolation.no_rights", "A box has no capability and gets none.", no_rights},
    {"isolation.fails_closed", "When the proxy dies, a box reaches nothing, and health says so.",
     fails_closed},
};

}  // namespace

std::span<const Rule> isolation_rules() { return kIsolationRules; }

}  // namespace berth::holder::boxes::conformance
