#include "host/resources/engine_edit.h"

#include <random>

#include "base/hash.h"
#include "tests/host/resources/room.h"

using namespace berth;
using namespace berth::host::resources;
using test::must;

namespace {

const std::string kEngineFile = "/etc/docker/daemon.json";

Json daemon_keys(const Json& into) { return {{"id", "daemon"}, {"type", "json"}, {"path", kEngineFile}, {"into", into}}; }

/// The records of one file as the host keeps them, and applies on them.
struct Records {
  struct Record { Json declared, found, applied; };
  std::optional<std::string> file;
  std::vector<std::pair<std::string, Record>> records;  // oldest first

  /// One apply: what goes and what comes, in one edit. Its last planned edit stays to be looked at.
  EngineEdit apply(const std::vector<std::string>& gone, const std::map<std::string, Json>& come, bool engine = true) {
    std::vector<GiveBack> give_backs;
    std::vector<Declare> declares;
    for (auto at = records.rbegin(); at != records.rend(); ++at) {
      const auto& [id, r] = *at;
      const bool goes = std::find(gone.begin(), gone.end(), id) != gone.end();
      if (goes) give_backs.push_back({id, r.declared, r.found, r.applied});
      else if (!come.contains(id)) declares.push_back({id, r.declared, r.found, r.applied});
    }
    for (const auto& [id, into] : come) {
      const auto* r = find(id);
      declares.push_back({id, daemon_keys(into), r ? r->found : Json{}, r ? r->applied : Json{}});
    }
    auto edit = must(plan_engine_edit(file, give_backs, declares, kEngineFile, engine));
    std::erase_if(records, [&](const auto& r) { return std::find(gone.begin(), gone.end(), r.first) != gone.end(); });
    for (const auto& declare : declares) {
      if (find(declare.id) == nullptr) records.push_back({declare.id, {}});
      *find(declare.id) = {declare.declared, edit.found.at(declare.id), edit.applied.at(declare.id)};
    }
    file = edit.final;
    return edit;
  }
  Record* find(const std::string& id) {
    for (auto& [name, record] : records) {
      if (name == id) return &record;
    }
    return nullptr;
  }
};

Json members_found(const Json& found) {
  Json out = Json::object();
  for (const auto& [key, value] : found.at("members").items()) out[key] = value.value("text", "absent");
  return out;
}

}  // namespace

TEST_CASE("the hand-over is one edit: what one module gives back and another declares keeps its bytes and its found value") {
  Records birch;
  const std::string by_hand = "{\n    \"debug\": false,\n    \"insecure-registries\": [\"own.example:5000\"]\n}\n";
  birch.file = by_hand;
  birch.apply({}, {{"dnsmasq.daemon", {{"live-restore", true}, {"dns", {"10.0.0.2"}}}}});
  birch.apply({}, {{"private-network.registry-trust", {{"insecure-registries", {"registry.mesh:5000"}}}}});
  const auto before = *birch.file;
  CHECK(before == "{\n    \"debug\": false,\n    \"insecure-registries\": [\"own.example:5000\", \"registry.mesh:5000\"],\n"
                  "    \"dns\": [\"10.0.0.2\"],\n    \"live-restore\": true\n}\n");
  const auto records_before = birch;

  const auto edit = birch.apply({"dnsmasq.daemon", "private-network.registry-trust"},
                                {{"docker.daemon", {{"live-restore", true}, {"insecure-registries", {"registry.mesh:5000"}}}}});
  CHECK(*birch.file == "{\n    \"debug\": false,\n    \"insecure-registries\": [\"own.example:5000\", \"registry.mesh:5000\"],\n"
                       "    \"live-restore\": true\n}\n");
  CHECK(edit.reload_with == edit.final);
  CHECK(edit.waiting == std::vector<std::string>{"dns"});
  CHECK(edit.expect.live_restore == true);
  CHECK(edit.expect.registries == std::vector<std::string>{"registry.mesh:5000"});
  CHECK(edit.expect.registries_gone.empty());
  CHECK(members_found(edit.found.at("docker.daemon")) ==
        Json{{"live-restore", "absent"}, {"insecure-registries", "[\"own.example:5000\"]"}});
  CHECK(edit.applied.at("docker.daemon")["keys"]["insecure-registries"] == Json{{"added", {"registry.mesh:5000"}}});

  SECTION("backing it out restores every byte as it was before, although dns is put in again") {
    std::vector<GiveBack> gone{{"docker.daemon", birch.find("docker.daemon")->declared,
                                birch.find("docker.daemon")->found, birch.find("docker.daemon")->applied}};
    std::vector<Declare> back;
    for (const auto& [id, r] : records_before.records) back.push_back({id, r.declared, r.found, r.applied});
    const auto out = must(plan_engine_edit(birch.file, gone, back, kEngineFile));
    CHECK(out.final == before);
    CHECK(out.reload_with == before);
    for (const auto& [id, r] : records_before.records) CHECK(out.found.at(id) == r.found);
  }
  SECTION("giving everything back leaves what was there by hand, with a reload on the neutral value first") {
    const auto out = birch.apply({"docker.daemon"}, {});
    CHECK(birch.file == by_hand);
    CHECK(out.reload_with == "{\n    \"debug\": false,\n    \"insecure-registries\": [\"own.example:5000\"],\n"
                             "    \"live-restore\": false\n}\n");
    CHECK(out.expect.live_restore == false);
    CHECK(out.expect.registries_gone == std::vector<std::string>{"registry.mesh:5000"});
  }
  SECTION("applied again it changes nothing") {
    const auto again = birch.apply({}, {});
    CHECK_FALSE(again.changes());
    CHECK_FALSE(again.changed.at("docker.daemon"));
  }
}

TEST_CASE("DJ12 a list that goes for good is emptied before its key is taken out") {
  Records r;
  r.file = "{\"debug\": false}";
  r.apply({}, {{"docker.daemon", {{"insecure-registries", {"r:5000"}}}}});
  const auto out = r.apply({"docker.daemon"}, {});
  CHECK(out.reload_with == "{\"debug\": false, \"insecure-registries\": []}");
  CHECK(out.final == "{\"debug\": false}");
  CHECK(out.expect.registries_gone == std::vector<std::string>{"r:5000"});
}

TEST_CASE("DJ17 only our member joins a list and only ours leaves it, whoever else wrote meanwhile") {
  Records r;
  r.file = "{\"insecure-registries\": [\n  \"a:1\"\n], \"x\": {\"insecure-registries\": 1}}";
  r.apply({}, {{"docker.daemon", {{"insecure-registries", {"a:1", "ours:5000"}}}}});
  CHECK(r.file == "{\"insecure-registries\": [\n  \"a:1\",\n  \"ours:5000\"\n], \"x\": {\"insecure-registries\": 1}}");
  r.file = "{\"insecure-registries\": [\"z:9\", \"a:1\", \"ours:5000\", \"b:2\"],   \"y\": 2}\n";
  r.apply({"docker.daemon"}, {});
  CHECK(r.file == "{\"insecure-registries\": [\"z:9\", \"a:1\", \"b:2\"],   \"y\": 2}\n");
}

TEST_CASE("a replaced value comes back with its own spelling, and stays as somebody else changed it") {
  Records r;
  const std::string by_hand = "{\"live-restore\" :  null , \"log-opts\": {\"max-size\":   \"5m\"}}";
  r.file = by_hand;
  r.apply({}, {{"docker.daemon", {{"live-restore", true}, {"log-opts", {{"max-size", "10m"}}}}}});
  CHECK(r.file == "{\"live-restore\" :  true , \"log-opts\": {\"max-size\": \"10m\"}}");
  auto touched = r;
  r.apply({"docker.daemon"}, {});
  CHECK(r.file == by_hand);
  touched.file = "{\"live-restore\" :  false , \"log-opts\": {\"max-size\": \"10m\"}}";
  const auto out = touched.apply({"docker.daemon"}, {});
  CHECK(touched.file == "{\"live-restore\" :  false , \"log-opts\": {\"max-size\":   \"5m\"}}");
  CHECK(out.detail.at("docker.daemon").find("live-restore was changed by somebody else") != std::string::npos);
}

TEST_CASE("a file that was not there is made, and goes when the last record of it goes") {
  Records r;
  const auto first = r.apply({}, {{"docker.daemon", {{"live-restore", true}}}});
  CHECK(r.file == "{\n  \"live-restore\": true\n}\n");
  CHECK(first.found.at("docker.daemon")["exists"] == false);
  r.apply({}, {{"broker.daemon", {{"insecure-registries", {"r:5000"}}}}});
  r.apply({"docker.daemon"}, {});
  CHECK(r.file == "{\n  \"insecure-registries\": [\"r:5000\"]\n}\n");
  const auto out = r.apply({"broker.daemon"}, {});
  CHECK(r.file == std::nullopt);
  CHECK(out.reload_with == "{\n  \"insecure-registries\": []\n}\n");
}

TEST_CASE("a file that we made but that somebody else writes too stays with what is theirs") {
  Records r;
  r.apply({}, {{"docker.daemon", {{"live-restore", true}}}});
  r.file = "{\n  \"live-restore\": true,\n  \"debug\": true\n}\n";
  r.apply({"docker.daemon"}, {});
  CHECK(r.file == "{\n  \"debug\": true\n}\n");
}

TEST_CASE("a record's found value never changes, and grows by the keys that a later declaration adds") {
  Records r;
  r.file = "{\"log-driver\": \"local\"}";
  r.apply({}, {{"docker.daemon", {{"live-restore", true}}}});
  const auto found = r.find("docker.daemon")->found;
  const auto edit = r.apply({}, {{"docker.daemon", {{"live-restore", true}, {"log-driver", "json-file"}}}});
  CHECK(edit.found.at("docker.daemon")["members"]["live-restore"] == found["members"]["live-restore"]);
  CHECK(members_found(edit.found.at("docker.daemon"))["log-driver"] == "\"local\"");
  const auto less = r.apply({}, {{"docker.daemon", {{"log-driver", "json-file"}}}});
  CHECK(r.file == "{\"log-driver\": \"json-file\"}");
  CHECK(less.reload_with->find("\"live-restore\": false") != std::string::npos);
  r.apply({"docker.daemon"}, {});
  CHECK(r.file == "{\"log-driver\": \"local\"}");
}

TEST_CASE("a record that stays inherits what the one that goes had found") {
  Records r;
  r.file = "{\"live-restore\": false}";
  r.apply({}, {{"old.daemon", {{"live-restore", true}, {"insecure-registries", {"r:5000"}}}}});
  r.apply({}, {{"new.daemon", {{"live-restore", true}, {"insecure-registries", {"r:5000"}}}}});
  r.apply({"old.daemon"}, {});
  CHECK(Json::parse(*r.file) == Json{{"live-restore", true}, {"insecure-registries", {"r:5000"}}});
  r.apply({"new.daemon"}, {});
  CHECK(r.file == "{\"live-restore\": false}");
}

TEST_CASE("an apply that a crash cut short after the write plans the same end with the found values of before") {
  Records r;
  r.file = "{\"insecure-registries\": [\"a:1\"]}";
  const auto declared = daemon_keys({{"live-restore", true}, {"insecure-registries", {"a:1", "r:5000"}}});
  const auto first = must(plan_engine_edit(r.file, {}, {{"docker.daemon", declared, nullptr, nullptr}}, kEngineFile));
  const Declare again{"docker.daemon", declared, first.found.at("docker.daemon"), nullptr};
  const auto second = must(plan_engine_edit(first.final, {}, {again}, kEngineFile));
  CHECK_FALSE(second.changes());
  CHECK(second.found.at("docker.daemon") == first.found.at("docker.daemon"));
  CHECK(second.applied.at("docker.daemon")["keys"] == first.applied.at("docker.daemon")["keys"]);
  const auto back = must(plan_engine_edit(first.final, {{"docker.daemon", declared, again.found, nullptr}}, {}, kEngineFile));
  CHECK(back.final == r.file);
}

TEST_CASE("DJ08 a number among log-opts is written as the text that the engine wants") {
  Records r;
  r.file = "{}";
  r.apply({}, {{"docker.daemon", {{"log-opts", {{"max-file", 3}, {"compress", true}}}}}});
  CHECK(r.file == "{\"log-opts\": {\"compress\": \"true\", \"max-file\": \"3\"}}");
  CHECK_FALSE(r.apply({}, {}).changes());
}

TEST_CASE("a key or value that the engine would not start with, or that berth does not own, is refused by name") {
  const auto refusal = [](const Json& into) {
    const auto edit = plan_engine_edit("{}", {}, {{"docker.daemon", daemon_keys(into), nullptr, nullptr}}, kEngineFile);
    return edit ? "taken" : edit.error().field;
  };
  CHECK(refusal({{"live-restore", "true"}}) == "live-restore");
  CHECK(refusal({{"Live-Restore", true}}) == "Live-Restore");
  CHECK(refusal({{"hosts", {"tcp://0.0.0.0:2375"}}}) == "hosts");
  CHECK(refusal({{"bridge", "none"}}) == "bridge");  // DJ20: it deletes docker0
  CHECK(refusal({{"insecure-registries", "r:5000"}}) == "insecure-registries");
  for (const char* bad : {"http://r:5000", "10.0.0.0/99", "", "a b", "r:0", "r:99999", "r/path", "[fe80::1"}) {
    CAPTURE(bad);
    CHECK(refusal({{"insecure-registries", Json::array({bad})}}) == "insecure-registries");
  }
  for (const char* good : {"r:5000", "r", "10.0.0.1:5000", "192.168.0.0/16", "fd00::/8", "[fd00::1]:5000"}) {
    CAPTURE(good);
    CHECK(refusal({{"insecure-registries", Json::array({good})}}) == "taken");
  }
  CHECK(refusal({{"dns", {"not-an-ip"}}}) == "dns");
  CHECK(refusal({{"dns", {"10.0.0.2", "fd00::2"}}}) == "taken");
  CHECK(refusal({{"log-driver", "nonesuch"}}) == "log-driver");  // DJ10: the engine starts, every container fails
  CHECK(refusal({{"log-opts", {{"max-size", Json::array()}}}}) == "log-opts");
}

TEST_CASE("a list that asks for nothing is not written, and does not hold a key that another record gives back") {
  Records r;
  r.file = "{}";
  r.apply({}, {{"dnsmasq.daemon", {{"dns", {"10.0.0.2"}}}}});
  const auto edit = r.apply({"dnsmasq.daemon"}, {{"docker.daemon", {{"dns", Json::array()}, {"insecure-registries", Json::array()}}}});
  CHECK(r.file == "{}");
  CHECK(edit.found.at("docker.daemon")["members"].empty());
  CHECK(edit.waiting == std::vector<std::string>{"dns"});
}

TEST_CASE("records of two modules that want different values of one key are a collision naming the key") {
  const auto edit = plan_engine_edit("{}", {}, {{"a.daemon", daemon_keys({{"live-restore", true}}), nullptr, nullptr},
                                                {"b.daemon", daemon_keys({{"live-restore", false}}), nullptr, nullptr}}, kEngineFile);
  REQUIRE_FALSE(edit);
  CHECK(edit.error().code == Errc::collision);
  CHECK(edit.error().field == "live-restore");
}

TEST_CASE("whatever modules come and go in whatever order, the hand-written file is left byte for byte") {
  const std::vector<std::string> files = {
      "{}", "{\n}\n", "{\"debug\":true}", "{\r\n\t\"insecure-registries\": [ \"h:1\" ],\r\n\t\"x\": [1.0, -0]\r\n}",
      "{ \"live-restore\":null ,\"dns\" : [ ], \"log-opts\": {} }\n\n", "\n{\"insecure-registries\":[\"h:1\",\"h:2\"]}"};
  const Json values[] = {{{"live-restore", true}},
                         {{"insecure-registries", {"r:5000"}}, {"dns", {"10.0.0.2"}}},
                         {{"live-restore", true}, {"insecure-registries", {"r:5000", "s:5000"}}},
                         {{"log-driver", "local"}, {"log-opts", {{"max-size", "1m"}}}},
                         {{"dns", {"10.0.0.3"}}, {"insecure-registries", {"h:1", "t:1"}}}};
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    std::mt19937 random{seed};
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(random); };
    Records r;
    const auto by_hand = seed % 7 == 0 ? std::optional<std::string>{} : std::optional{files[below(files.size())]};
    r.file = by_hand;
    std::string story;
    for (int step = 0; step < 6; ++step) {
      std::vector<std::string> gone;
      for (const auto& [id, record] : r.records) {
        if (below(3) == 0) gone.push_back(id);
      }
      std::map<std::string, Json> come;
      if (below(2) == 0) {
        const auto id = "m" + std::to_string(below(3));
        if (std::find(gone.begin(), gone.end(), id) == gone.end()) come[id] = values[below(std::size(values))];
      }
      r.apply(gone, come);
      story += "gone " + Json(gone).dump() + " come " + Json(come).dump() + " → " + r.file.value_or("(none)") + "\n";
      if (r.file) REQUIRE(Json::accept(*r.file));
    }
    std::vector<std::string> all;
    for (const auto& [id, record] : r.records) all.push_back(id);
    r.apply(all, {});
    CAPTURE(seed, story, by_hand.value_or("(none)"));
    REQUIRE(r.file == by_hand);
  }
}
