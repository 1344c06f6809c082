#include <algorithm>

#include "host/release/cause.h"
#include "host/release/link.h"
#include "host/release/stager.h"
#include "host/release/trial.h"
#include "host/release/watch.h"
#include "tests/host/apply/world.h"
#include "tests/host/release/artifact.h"

using namespace berth;
using namespace berth::test;
namespace fs = std::filesystem;
namespace release = berth::host::release;

namespace {

/// Birch with releases: 1.0.0 there and linked, 1.1.0 packed.
struct Switching {
  Switching() {
    const auto root = birch.room.root.path;
    stager = release::make_stager(root + "/opt/berth/releases", {artifacts.public_key()}, birch.room.seam);
    birch.site->stager = stager.get();
    places = {root, root + "/opt/berth/releases", "/etc/berth/host.json"};
    const auto old = must(stager->stage(artifacts.make("1.0.0", true, false), "1.0.0"));
    must(release::point_link(places.link(), old, birch.room.seam));
    fs::create_directories(root + "/etc/systemd/system");
    birch.room.units.add("berth-host.service", "active", "enabled");
    birch.room.units.add("berth-release-watch.service");
  }
  Json request(Json more = Json::object()) {
    Json body = {
        {"what", "release"}, {"action", "switch"}, {"version", "1.1.0"}, {"deadline_s", 60}, {"token", 1}};
    body.update(artifacts.make("1.1.0", true, true));
    body.update(more);
    return body;
  }
  Result<Json> ask(const Json& body) {
    return release::switch_release(body, birch.host().store, *birch.site, places);
  }
  std::string linked() const { return must(release::link_target(places.link())).filename(); }
  std::string trial_state() {
    const auto trial = must(release::read_trial(birch.host().store));
    return trial ? trial->version + " " + trial->state : "none";
  }
  /// The watch's whole life; each pause lets a second pass and what `meanwhile` does happen.
  Status watch(const std::function<void()>& meanwhile) {
    return release::watch_release({places, birch.config.store, birch.room.units, birch.room.clock,
                                   birch.room.seam, [&](std::chrono::milliseconds) {
                                     birch.room.clock.advance(std::chrono::seconds{1});
                                     meanwhile();
                                   }});
  }
  /// An apply of a host of that version, and its proof if it was a good one.
  void applies(const std::string& version, bool engine_away) {
    birch.engine.down = engine_away;
    birch.release(kBothRelease, version);
    birch.site->stager = stager.get();
    birch.room.clock.advance(std::chrono::milliseconds{1});
    must(birch.host().applier.again());
    if (!engine_away) must(release::prove(birch.host().store, version));
    birch.engine.down = false;
  }
  /// The unit's next process is there.
  void starts(host::resources::UnitState& unit, std::int64_t pid) {
    unit.main_pid = pid;
    unit.started_us =
        std::chrono::duration_cast<std::chrono::microseconds>(birch.room.clock.now().time_since_epoch()).count();
  }
  bool did(const std::string& act) const { return std::ranges::count(birch.room.units.acts, act) > 0; }

  Birch birch;
  Artifacts artifacts;
  std::unique_ptr<host::resources::Stager> stager;
  release::Places places;
};

}  // namespace

TEST_CASE(
    "a switch writes its trial and starts the old program's watch before anything points at the new "
    "release") {
  Switching s;
  const auto answer = must(s.ask(s.request()));
  CHECK(answer == Json{{"accepted", true}, {"version", "1.1.0"}, {"previous", "1.0.0"}});
  CHECK(s.trial_state() == "1.1.0 waiting");
  CHECK(s.linked() == "1.0.0");
  CHECK(s.did("enable berth-release-watch.service"));
  CHECK(s.did("restart berth-release-watch.service"));
  const auto unit = s.birch.room.root.read("/etc/systemd/system/berth-release-watch.service");
  CHECK(unit.find("/releases/1.0.0/bin/berth-host --config /etc/berth/host.json watch-release") !=
        std::string::npos);
}

TEST_CASE("the watch points the link, restarts the host, and retires once the new host has proven itself") {
  Switching s;
  must(s.ask(s.request()));
  int looked = 0;
  must(s.watch([&] {
    CHECK(s.linked() == "1.1.0");
    if (++looked == 3) must(release::prove(s.birch.host().store, "1.1.0"));
    REQUIRE(looked < 10);
  }));
  CHECK(s.linked() == "1.1.0");
  CHECK(s.trial_state() == "1.1.0 done");
  CHECK(s.did("restart berth-host.service"));
  CHECK_FALSE(s.did("stop berth-host.service"));
  CHECK(s.did("disable berth-release-watch.service"));
  CHECK_FALSE(s.birch.room.root.has("/etc/systemd/system/berth-release-watch.service"));
}

TEST_CASE("without proof by the deadline the watch goes back, past the unit's start limit too") {
  Switching s;
  must(s.ask(s.request()));
  int looked = 0;
  must(s.watch([&] {
    // Another version's proof, the old host's say, proves nothing.
    must(release::prove(s.birch.host().store, "1.0.0"));
    REQUIRE(++looked < 100);
  }));
  CHECK(looked >= 60);
  CHECK(s.linked() == "1.0.0");
  CHECK(s.trial_state() == "1.1.0 failed");
  const auto& acts = s.birch.room.units.acts;
  const auto reset = std::ranges::find(acts, "reset_failed berth-host.service");
  REQUIRE(reset != acts.end());
  CHECK(std::find(reset, acts.end(), "start berth-host.service") != acts.end());
  CHECK(must(s.ask(s.request()))["accepted"] == true);  // and it can be tried again
}

TEST_CASE("a release that went back says why: it crashed, it hangs, it says it is another, its apply failed") {
  Switching s;
  must(s.ask(s.request()));
  std::string wanted;
  auto& unit = s.birch.room.units.unit("berth-host.service");
  SECTION("crashes at its start") {
    s.birch.room.units.journal = "starting\nberth-host: libnats.so.3: cannot open shared object file\n";
    wanted = "it does not stay up: its unit is failed (failed), last end exit-code 127, restarted 5 times; it said: "
             "berth-host: libnats.so.3: cannot open shared object file";
  }
  SECTION("hangs") { wanted = "it runs and has reported nothing: it hangs, or its first apply does"; }
  SECTION("says it is another version") { wanted = "the host that runs says it is 1.0.9, not 1.1.0"; }
  SECTION("reaches no runtime") { wanted = "its newest apply was unchanged by path none; holder_silent: the holder does not answer"; }
  must(s.watch([&] {
    if (wanted.starts_with("it does not")) {
      unit.active = unit.sub = "failed";
      unit.result = "exit-code";
      unit.exit_status = 127;
      unit.restarts = 5;
    }
    if (wanted.starts_with("the host that")) s.applies("1.0.9", false);
    if (wanted.starts_with("its newest")) s.applies("1.1.0", true);
  }));
  CHECK(s.linked() == "1.0.0");
  CHECK(s.trial_state() == "1.1.0 failed");
  CHECK(must(release::kept_cause(s.birch.host().store)) == wanted);
  must(s.ask(s.request()));  // tried again, the old reason is gone
  CHECK(must(release::kept_cause(s.birch.host().store)).empty());
}

TEST_CASE("a release that can no longer prove itself goes back long before its deadline") {
  Switching s;
  must(s.ask(s.request()));
  auto& unit = s.birch.room.units.unit("berth-host.service");
  int looked = 0;
  SECTION("its unit has given up") {
    must(s.watch([&] {
      if (++looked == 2) unit.active = unit.sub = "failed";
    }));
  }
  SECTION("the host that was started says it is another version") {
    must(s.watch([&] {
      ++looked;
      if (looked == 1) s.applies("1.0.0", false);  // by the host before it, while it ends
      if (looked == 2) s.starts(unit, 78);
      if (looked == 3) s.applies("1.0.9", false);
    }));
  }
  CHECK(looked < 5);
  CHECK(looked >= 2);
  CHECK(s.linked() == "1.0.0");
  CHECK(s.trial_state() == "1.1.0 failed");
  CHECK_FALSE(must(release::kept_cause(s.birch.host().store)).empty());
}

TEST_CASE("what the host before it said or suffered is not held against a release") {
  Switching s;
  auto& unit = s.birch.room.units.unit("berth-host.service");
  s.starts(unit, 77);
  // Its clock ran an hour fast, and was put right before the switch.
  s.birch.room.clock.advance(std::chrono::hours{1});
  s.applies("1.0.0", false);
  s.birch.room.clock.advance(-std::chrono::hours{1});
  must(s.ask(s.request()));
  int looked = 0;
  must(s.watch([&] {
    ++looked;
    if (looked == 1) unit.active = "failed", unit.queued = true;  // killed, since it did not end; its successor waits
    if (looked == 3) unit.active = "active", unit.queued = false, s.starts(unit, 78);
    if (looked == 6) must(release::prove(s.birch.host().store, "1.1.0"));
    REQUIRE(looked < 10);
  }));
  CHECK(looked == 6);
  CHECK(s.linked() == "1.1.0");
}

TEST_CASE("a watch that dies at any of its acts ends at one release or the other when it is run again") {
  for (int cut = 1;; ++cut) {
    CAPTURE(cut);
    REQUIRE(cut < 200);
    Switching s;
    must(s.ask(s.request()));
    s.birch.die();
    s.birch.room.seam.acts.clear();
    s.birch.room.seam.die_at = cut;
    bool died = false;
    try {
      static_cast<void>(s.watch([] {}));
    } catch (const CutSeam::Died&) {
      died = true;
    }
    s.birch.room.seam.calm();
    must(s.watch([] {}));
    CHECK(s.linked() == "1.0.0");
    CHECK(s.trial_state() == "1.1.0 failed");
    CHECK_FALSE(s.birch.room.root.has("/etc/systemd/system/berth-release-watch.service"));
    if (!died) break;
  }
}

TEST_CASE("a release that does not start here or writes another major schema is not switched to") {
  Switching s;
  auto body = s.request();
  body.update(s.artifacts.make("1.1.0", true, true, "#!/bin/sh\nexit 127\n"));
  CHECK_FALSE(s.ask(body).ok());
  CHECK(s.trial_state() == "none");
  Switching other;
  body = other.request();
  body.update(other.artifacts.make("1.1.0", true, true, "#!/bin/sh\necho 2.0\n"));
  CHECK(other.ask(body).error().detail.find("2.0") != std::string::npos);
  CHECK(other.linked() == "1.0.0");
}

TEST_CASE("a runner with an older token switches nothing, nor does a second release while one is on trial") {
  Switching s;
  s.birch.carry_out(s.birch.push("apply", Json::array(), {{"token", 5}}));
  CHECK(s.ask(s.request({{"token", 4}})).error().code == Errc::stale);
  must(s.ask(s.request({{"token", 5}})));
  auto second = s.request({{"token", 5}, {"version", "1.2.0"}});
  second.update(s.artifacts.make("1.2.0", false, true));
  CHECK(s.ask(second).error().code == Errc::busy);
  CHECK(must(s.ask(s.request({{"token", 5}})))["version"] == "1.1.0");
}

TEST_CASE(
    "going back to a release without the holder's path clears the latch, going on to one with it does not") {
  Switching s;
  s.birch.release(kBothRelease, "1.1.0");
  s.birch.site->stager = s.stager.get();
  s.birch.carry_out(s.birch.push("apply", Json::array(), {{"seat", seat_of_birch()}}));
  REQUIRE(must(host::apply::is_latched(s.birch.host().store)));
  must(s.ask(s.request()));
  CHECK(must(host::apply::is_latched(s.birch.host().store)));
  must(s.watch([&] { must(release::prove(s.birch.host().store, "1.1.0")); }));
  const auto answer = must(s.ask({{"what", "release"}, {"action", "back"}, {"token", 1}}));
  CHECK(answer["version"] == "1.0.0");
  CHECK(answer["previous"] == "1.1.0");
  CHECK_FALSE(must(host::apply::is_latched(s.birch.host().store)));
}
