#include <sys/wait.h>

#include "base/json.h"
#include "tests/holder/events/events_world.h"

namespace berth::test {

TEST_CASE("what the engine says is recorded in order, and the last observation with it") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a", {{"mesh-host.id", "web"}}));
  world.machine.says(raw(20, "start", "a", {{"mesh-host.id", "web"}}));
  world.machine.says(raw(30, "die", "a", {{"exitCode", "1"}, {"mesh-host.id", "web"}}));
  CHECK(world.told_becomes("created:a started:a died:a") == "created:a started:a died:a");
  CHECK(world.states() == "a=exited");
  CHECK(world.column("SELECT assignment FROM container") == "web");
  CHECK(world.column("SELECT json_extract(body, '$.exit_code') FROM runtime_event WHERE kind = 'died'") ==
        "1");
  CHECK(world.column("SELECT DISTINCT id = machine || ':' || (SELECT store FROM store_identity) || ':' || "
                     "seq FROM runtime_event") == "1");
}

TEST_CASE("on the first start of all, what is there already is told as inferred, without a gap") {
  EventsWorld world;
  world.machine.has(summary("old", "running", 1));
  const auto events = world.start();
  CHECK(world.told_becomes("~created:old ~started:old") == "~created:old ~started:old");
}

TEST_CASE("what happened while the holder was away is told, from history where it reaches") {
  EventsWorld world;
  {
    const auto events = world.start();
    world.machine.says(raw(10, "create", "a"));
    world.machine.says(raw(20, "start", "a"));
    REQUIRE(world.told_becomes("created:a started:a") == "created:a started:a");
  }
  world.machine.says(raw(30, "die", "a", {{"exitCode", "2"}}));
  const auto events = world.start();
  CHECK(world.told_becomes("created:a started:a died:a") == "created:a started:a died:a");
  ::usleep(600'000);  // the comparison finds nothing more
  CHECK(world.told() == "created:a started:a died:a");
}

TEST_CASE("an end that was asked for before the holder died is told as that by the next one") {
  EventsWorld world;
  {
    const auto events = world.start();
    world.machine.says(raw(10, "create", "a"));
    world.machine.says(raw(20, "start", "a"));
    world.machine.says(raw(30, "kill", "a", {{"signal", "9"}}));
    world.machine.says(raw(31, "oom", "a"));
    const auto cursor = [&] { return world.column("SELECT value FROM setting WHERE key = 'events.cursor'"); };
    REQUIRE(world.until(to_rfc3339(at_ms(31)), cursor) == to_rfc3339(at_ms(31)));
  }
  world.machine.says(raw(40, "die", "a", {{"exitCode", "137"}}));
  world.machine.says(raw(50, "destroy", "a"));
  const auto events = world.start();
  const std::string all = "created:a started:a died:a stopped:a removed:a";
  CHECK(world.told_becomes(all) == all);
  CHECK(
      world.column("SELECT json_extract(body, '$.signal') || json_extract(body, '$.oom') FROM runtime_event "
                   "WHERE kind = 'died'") == "KILL1");
  CHECK(world.column("SELECT value FROM setting WHERE key = 'events.expected'") == "{}");
}

TEST_CASE("the removal of what nobody has told of is told, and that it was there") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "destroy", "a"));  // made in a gap, and gone before a list could show it
  CHECK(world.told_becomes("~created:a removed:a") == "~created:a removed:a");
  world.machine.says(raw(20, "destroy", "a"));
  world.machine.says(raw(30, "create", "b"));
  CHECK(world.told_becomes("~created:a removed:a created:b") == "~created:a removed:a created:b");
}

TEST_CASE("EV01 where history does not reach, a gap says so and the comparison tells the rest") {
  EventsWorld world;
  {
    const auto events = world.start();
    world.machine.says(raw(10, "create", "a"));
    world.machine.says(raw(20, "start", "a"));
    world.machine.says(raw(25, "create", "b"));
    REQUIRE(world.told_becomes("created:a started:a created:b") == "created:a started:a created:b");
  }
  world.machine.says(raw(30, "die", "a", {{"exitCode", "2"}}));
  world.machine.says(raw(40, "destroy", "b"));
  world.machine.says(raw(50, "create", "c"));
  world.machine.forgets(5);
  world.clock.set(at_ms(60'000));
  const auto events = world.start();
  const std::string all = "created:a started:a created:b created:c gap ~died:a ~removed:b";
  CHECK(world.told_becomes(all) == all);
  CHECK(world.column("SELECT json_extract(body, '$.cause') || '/' || json_extract(body, '$.from') FROM "
                     "runtime_event WHERE kind = 'gap'") == "history_overrun/2026-01-02T03:04:05.025000000Z");
  CHECK(world.states() == "a=exited c=created");
}

TEST_CASE("EV02 EL15 an engine that restarted is a gap, and what ended meanwhile is found") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  world.machine.says(raw(20, "start", "a"));
  REQUIRE(world.told_becomes("created:a started:a") == "created:a started:a");
  world.machine.has(summary("a", "exited", 19, 29, 7));
  world.clock.set(at_ms(100'000));
  world.machine.restarts();
  CHECK(world.told_becomes("created:a started:a gap ~died:a") == "created:a started:a gap ~died:a");
  CHECK(world.column("SELECT json_extract(body, '$.cause') FROM runtime_event WHERE kind = 'gap'") ==
        "engine_restart");
  CHECK(world.column("SELECT json_extract(body, '$.exit_code') FROM runtime_event WHERE kind = 'died'") ==
        "7");
  world.machine.says(raw(200'000, "start", "a"));
  CHECK(world.told_becomes("created:a started:a gap ~died:a started:a") ==
        "created:a started:a gap ~died:a started:a");
}

TEST_CASE("what a list is asked for just after an event is not believed against the event") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  world.machine.says(raw(20, "start", "a"));
  REQUIRE(world.told_becomes("created:a started:a") == "created:a started:a");
  world.machine.says(raw(30, "die", "a", {{"exitCode", "0"}}));
  world.machine.has(summary("a", "running", 19));  // as Docker's list is for a moment
  world.machine.breaks_streams();
  REQUIRE(world.told_becomes("created:a started:a died:a") == "created:a started:a died:a");
  ::usleep(1'500'000);  // a first comparison
  CHECK(world.told() == "created:a started:a died:a");
  world.clock.set(at_ms(60'000));
  world.machine.has(summary("a", "exited", 19, 29));
  ::usleep(1'500'000);
  CHECK(world.told() == "created:a started:a died:a");
}

TEST_CASE("an event that comes after the comparison which told it is not told again") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  world.machine.says(raw(20, "start", "a"));
  world.machine.says(raw(25, "create", "b"));
  const std::string before = "created:a started:a created:b";
  REQUIRE(world.told_becomes(before) == before);
  world.clock.set(at_ms(60'000));
  world.machine.has(summary("a", "running", 50'000, 40'000));
  world.machine.lost("b");
  world.machine.restarts();  // its history is empty, and so the list tells
  const auto compared = before + " gap ~died:a ~started:a ~removed:b";
  REQUIRE(world.told_becomes(compared) == compared);
  world.machine.mutters(raw(40'000, "die", "a", {{"exitCode", "9"}}));
  world.machine.mutters(raw(50'001, "start", "a"));
  world.machine.mutters(raw(55'000, "die", "b", {{"exitCode", "9"}}));
  world.machine.mutters(raw(55'001, "destroy", "b"));
  world.machine.says(raw(70'000, "die", "a", {{"exitCode", "0"}}));
  CHECK(world.told_becomes(compared + " died:a") == compared + " died:a");
}

TEST_CASE("EV06 an exit code faked by a label is not believed by the next holder either") {
  EventsWorld world;
  const std::map<std::string, std::string> label = {{"exitCode", "99"}};
  {
    const auto events = world.start();
    world.machine.says(raw(10, "create", "a", label));
    world.machine.says(raw(20, "start", "a", label));
    REQUIRE(world.told_becomes("created:a started:a") == "created:a started:a");
  }
  world.machine.says(raw(30, "die", "a", label));
  world.machine.has(summary("a", "exited", 20, 30, 3));
  const auto events = world.start();
  REQUIRE(world.told_becomes("created:a started:a died:a") == "created:a started:a died:a");
  CHECK(world.column("SELECT json_extract(body, '$.exit_code') FROM runtime_event WHERE kind = 'died'") ==
        "3");
}

TEST_CASE("EH04 EV13 a stream that breaks off and comes back loses nothing and tells nothing twice") {
  EventsWorld world;
  const auto events = world.start();
  std::string wanted;
  for (int i = 0; i < 5; ++i) {
    const auto id = std::string(1, static_cast<char>('a' + i));
    world.machine.says(raw(10 * (i + 1), "create", id));
    wanted += (wanted.empty() ? "created:" : " created:") + id;
    CHECK(world.told_becomes(wanted) == wanted);
    world.machine.breaks_streams();
  }
  ::usleep(500'000);
  CHECK(world.told() == wanted);
}

TEST_CASE("an engine that is away is waited for") {
  EventsWorld world;
  world.machine.is_up(false);
  const auto events = world.start();
  ::usleep(250'000);
  CHECK(world.told().empty());
  world.machine.has(summary("a", "running", 5));
  world.machine.is_up(true);
  CHECK(world.told_becomes("~created:a ~started:a") == "~created:a ~started:a");
}

TEST_CASE("one container that the engine cannot tell of holds up no comparison") {
  EventsWorld world;
  world.machine.has(summary("a", "running", 5));
  world.machine.has(summary("broken", "running", 5));
  world.machine.cannot_tell_of("broken");
  const auto events = world.start();
  const std::string all = "~created:a ~started:a ~created:broken ~started:broken";
  CHECK(world.told_becomes(all) == all);
}

TEST_CASE("a full queue is a gap that says how many, and the state after it is the engine's") {
  EventsWorld world;
  world.queue = 4;
  const auto events = world.start();
  world.seam.fail_at("store.commit");  // the keeper is held up, and the reader never is
  for (int i = 0; i < 60; ++i) {
    const auto id = "c" + std::to_string(i);
    world.machine.says(raw(10 + i, "create", id));
  }
  const auto all = [&] {
    return world.column("SELECT count(*) FROM container WHERE gone_at IS NULL AND state = 'created'");
  };
  CHECK(world.until("60", all) == "60");
  CHECK(world.column(
            "SELECT count(*) = count(DISTINCT container) FROM runtime_event WHERE kind = 'created'") == "1");
  CHECK(world.column("SELECT count(*) FROM runtime_event WHERE kind = 'created'") == "60");
}

TEST_CASE("an event that could not be read is a gap, and what it may have said is found") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  REQUIRE(world.told_becomes("created:a") == "created:a");
  world.machine.has(summary("a", "running", 19));
  RawEvent lost;
  lost.at = at_ms(40);
  lost.type = "stream";
  lost.action = "lost";
  world.clock.set(at_ms(50'000));
  world.machine.says(lost);
  CHECK(world.told_becomes("created:a gap ~started:a") == "created:a gap ~started:a");
}

TEST_CASE("EV15 a crash loop is held back with a notice, and others are told at once") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(1, "create", "loop"));
  for (int i = 0; i < 200; ++i) {
    world.machine.says(raw(10 + i * 2, "start", "loop"));
    world.machine.says(raw(11 + i * 2, "die", "loop", {{"exitCode", "1"}}));
  }
  world.machine.says(raw(1000, "create", "quiet"));
  const auto quiet = [&] {
    return world.column("SELECT count(*) FROM runtime_event WHERE container = 'quiet'");
  };
  CHECK(world.until("1", quiet) == "1");
  world.machine.has(summary("loop", "running", 100'000));
  world.clock.set(at_ms(200'000));
  world.machine.says(raw(200'000, "create", "later"));
  const auto notice = [&] {
    return world.column(
        "SELECT json_extract(body, '$.cause') || json_extract(body, '$.container') FROM runtime_event WHERE "
        "kind = 'gap'");
  };
  CHECK(world.until("suppressedloop", notice) == "suppressedloop");
  CHECK(world.column("SELECT count(*) + (SELECT json_extract(body, '$.suppressed') FROM runtime_event WHERE "
                     "kind = 'gap') FROM runtime_event "
                     "WHERE container = 'loop' AND kind IN ('started', 'died') AND NOT json_extract(body, "
                     "'$.inferred')") == "400");
  CHECK(world.column("SELECT state FROM container WHERE id = 'loop'") == "running");
}

TEST_CASE("what is recorded before the seat is held goes out once it is, in order") {
  EventsWorld world;
  const auto events = world.start();
  world.machine.says(raw(10, "create", "a"));
  world.machine.says(raw(20, "start", "a"));
  REQUIRE(world.told_becomes("created:a started:a") == "created:a started:a");
  CHECK(world.column("SELECT count(*) FROM outbox") == "0");
  events->set_subjects(all_subjects());
  world.machine.says(raw(30, "die", "a", {{"exitCode", "0"}}));
  const auto queued = [&] { return world.column("SELECT substr(subject, 41) FROM outbox ORDER BY seq"); };
  CHECK(world.until("created started died", queued) == "created started died");
  CHECK(world.column("SELECT count(*) FROM outbox JOIN runtime_event ON id = message_id AND outbox.body = "
                     "runtime_event.body") == "3");
  events->set_subjects({});
  world.machine.says(raw(40, "destroy", "a"));
  REQUIRE(world.told_becomes("created:a started:a died:a removed:a") ==
          "created:a started:a died:a removed:a");
  CHECK(queued() == "created started died");
}

TEST_CASE("a listener hears every event once it is durable, and none after it has left") {
  EventsWorld world;
  const auto events = world.start();
  Guarded<std::vector<std::string>> heard;
  {
    const auto listener =
        events->listen([&](const std::string& body) { heard.with([&](auto& all) { all.push_back(body); }); });
    world.machine.says(raw(10, "create", "a"));
    REQUIRE(world.told_becomes("created:a") == "created:a");
    CHECK(world.until("1", [&] {
      return std::to_string(heard.with([](const auto& all) { return all.size(); }));
    }) == "1");
  }
  world.machine.says(raw(20, "destroy", "a"));
  REQUIRE(world.told_becomes("created:a removed:a") == "created:a removed:a");
  CHECK(heard.with([](const auto& all) { return all.size(); }) == 1);
  CHECK(Json::parse(heard.with([](const auto& all) { return all.front(); })).at("kind") == "created");
}

TEST_CASE("the engine's last reload is remembered") {
  EventsWorld world;
  const auto events = world.start();
  RawEvent reload = raw(10, "reload", "engine", {{"live-restore", "true"}});
  reload.type = "daemon";
  world.machine.says(reload);
  const auto at = [&] {
    return world.column("SELECT json_extract(value, '$.at') FROM setting WHERE key = 'engine.last_reload'");
  };
  CHECK(world.until("2026-01-02T03:04:05.010000000Z", at) == "2026-01-02T03:04:05.010000000Z");
  auto store = world.store();
  CHECK(holder::events::last_reload(store).value()->attributes.at("live-restore") == "true");
}

TEST_CASE("a write that fails is made again, and nothing is told before it is durable") {
  EventsWorld world;
  world.store();  // made before: what fails is a commit of an event's, however many migrations there are
  world.seam.fail_at("store.commit", 2);
  const auto events = world.start();
  Guarded<int> heard{0};
  const auto listener = events->listen([&](const std::string&) { heard.with([](int& n) { ++n; }); });
  for (int i = 0; i < 6; ++i) {
    world.machine.says(raw(10 + i, "create", "c" + std::to_string(i)));
    ::usleep(50'000);
  }
  const std::string all = "created:c0 created:c1 created:c2 created:c3 created:c4 created:c5";
  CHECK(world.told_becomes(all) == all);
  CHECK(world.until("6", [&] { return std::to_string(heard.with([](int n) { return n; })); }) == "6");
}

TEST_CASE("a holder killed at any commit resumes to the same events, none lost and none twice", "[crash]") {
  const std::string whole = "created:a started:a died:a created:b started:b removed:a";
  const auto play = [](EventsWorld& world) {
    world.machine.says(
        raw(-10, "attach", "old"));  // so that the history reaches back to before the first start
    world.machine.says(raw(10, "create", "a"));
    world.machine.says(raw(20, "start", "a"));
    world.machine.says(raw(30, "die", "a", {{"exitCode", "0"}}));
    world.machine.says(raw(40, "create", "b"));
    world.machine.says(raw(50, "start", "b"));
    world.machine.says(raw(60, "destroy", "a"));
  };
  bool died = true;
  int cut = 1;
  for (; died && cut < 40; ++cut) {
    CAPTURE(cut);
    EventsWorld world;
    world.store();  // made before the killing begins
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      world.seam.die_at("store.commit", cut);
      const auto events = world.start();
      events->set_subjects(all_subjects());
      play(world);
      ::_exit(world.told_becomes(whole) == whole ? 0 : 3);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    died = WEXITSTATUS(status) == 137;
    if (!died) REQUIRE(WEXITSTATUS(status) == 0);
    play(world);
    const auto events = world.start();
    events->set_subjects(all_subjects());
    CHECK(world.told_becomes(whole) == whole);
    CHECK(world.until("6", [&] { return world.column("SELECT count(*) FROM outbox"); }) == "6");
  }
  CHECK(cut > 3);
  CHECK(!died);
}

}  // namespace berth::test
