#include "bus/subjects.h"
#include "catch.h"

using namespace berth;  // NOLINT: a test reads better
using bus::caller_of;

namespace {
const auto kIssued = FleetName::parse("mesh").value();
const auto kAlderSeat = MachineName::parse("alder").value();
const auto kConsoleCaller = CallerName::parse("console").value();
}  // namespace

TEST_CASE("issued subjects are those of the contract") {
  CHECK(bus::event_subject(kIssued, kAlderSeat, "created") == "mesh.alder.node-container-runtime.event.created");
  CHECK(bus::verb_subject(kIssued, kAlderSeat, "act", "stop", kConsoleCaller) ==
        "mesh.alder.node-container-runtime.act.stop.console");
  CHECK(bus::verb_pattern(kIssued, kAlderSeat, "read", "list") == "mesh.alder.node-container-runtime.read.list.*");
  CHECK(bus::host_subject(kIssued, kAlderSeat, "push") == "mesh.alder.host.push");
  CHECK(bus::lease_subject(kIssued) == "mesh.lease");
  CHECK(bus::stream_name(FleetName::parse("my-mesh").value(), "EVENTS") == "BERTH_MY_MESH_EVENTS");
}

TEST_CASE("the caller is the last token of the subject, and only a name") {
  CHECK(caller_of("mesh.alder.node-container-runtime.read.list.console")->text() == "console");
  CHECK_FALSE(caller_of("mesh.alder.node-container-runtime.read.list.").ok());
  CHECK_FALSE(caller_of("mesh.alder.read.list.Al ice").ok());
}

TEST_CASE("a reply goes to the caller's own inbox alone") {
  CHECK(bus::replies_to_caller("_INBOX.console.abc", kConsoleCaller));
  CHECK_FALSE(bus::replies_to_caller("_INBOX.console.", kConsoleCaller));
  CHECK_FALSE(bus::replies_to_caller("_INBOX.consoles.abc", kConsoleCaller));
  CHECK_FALSE(bus::replies_to_caller("mesh.alder.host.push", kConsoleCaller));
  CHECK_FALSE(bus::replies_to_caller("", kConsoleCaller));
}
