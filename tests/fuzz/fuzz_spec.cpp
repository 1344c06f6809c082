// A container spec as bytes: whatever is accepted of a bus caller is composed without danger, and every accepted
// spec is the same one after it was written and read.
#include "base/fields.h"
#include "base/json.h"
#include "holder/client/spec.h"
#include "holder/engine/create_body.h"
#include "holder/policy/forced.h"
#include "tests/fuzz/fuzz.h"
#include "tests/holder/policy/body_rules.h"

namespace berth::fuzz {
namespace {

void composes_without_danger(holder::client::ContainerSpec spec) {
  spec.image = "sha256:" + std::string(64, 'a');
  const auto forced = holder::policy::forced_for_bus(std::move(spec), "alice", {});
  for (const auto kind : {holder::engine::Kind::docker, holder::engine::Kind::podman}) {
    const auto body = holder::engine::create_body(forced, kind, "/run/engine.sock");
    const auto dangers = test::dangers_in(body, "alice");
    must_hold(dangers.empty(), (dangers.empty() ? "" : dangers.front()) + " in " + body.dump());
  }
}

void reads_back(const holder::client::ContainerSpec& spec, holder::client::Asker asker) {
  const auto written = holder::client::spec_document(spec);
  const auto again = holder::client::parse_spec(written, asker);
  must_hold(again.ok(), "it reads back: " + written.dump() + (again ? "" : ": " + again.error().detail));
  must_hold(*again == spec, "it reads back as the same: " + written.dump());
}

}  // namespace

void take_spec(std::string_view bytes) {
  const auto document = parse_json(bytes, "the request", 8);
  if (!document) return;
  if (const auto host = holder::client::parse_spec(*document, holder::client::Asker::host)) {
    reads_back(*host, holder::client::Asker::host);
    static_cast<void>(holder::engine::create_body(*host, holder::engine::Kind::docker, "/run/engine.sock"));
  }
  if (const auto bus = holder::client::parse_spec(*document, holder::client::Asker::bus)) {
    reads_back(*bus, holder::client::Asker::bus);
    composes_without_danger(*bus);
  }
}

}  // namespace berth::fuzz
