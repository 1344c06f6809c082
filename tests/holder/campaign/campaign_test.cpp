#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "catch.h"
#include "tests/holder/campaign/lives.h"
#include "tests/holder/campaign/scene.h"
#include "tests/holder/engine/engine_world.h"

// Containers live while engine, broker and holder are killed at random; then the stream is held against the
// truth.
namespace berth::test::campaign {
namespace {

using namespace std::chrono_literals;

struct Plan {
  int cycles;
  unsigned seed;
  int drivers;
  int lives_between;  // two killings, about
};

int number_from(const char* env, int otherwise) {
  const char* text = std::getenv(env);
  return text == nullptr || *text == '\0' ? otherwise : std::atoi(text);
}

/// Kills one of the three and brings it back.
void kill_one(Scene& scene, Lives& lives, std::mt19937& dice) {
  const auto what = dice() % 3;
  const auto away = std::chrono::milliseconds{dice() % 1500};
  if (what == 0) {
    lives.engine_was_killed();
    scene.engine_dies();
    scene.engine_answers();
    lives.engine_was_killed();  // what began while it was coming up, too
  } else if (what == 1) {
    scene.holder_dies();
    std::this_thread::sleep_for(away);
    scene.holder_starts();
  } else {
    scene.broker().kill();
    std::this_thread::sleep_for(away);
    scene.broker().start();
  }
}

int killings(Scene& scene, Lives& lives, const Plan& plan) {
  std::mt19937 dice{plan.seed};
  int count = 0;
  for (int next = plan.lives_between; next < plan.cycles; ++count) {
    while (lives.begun() < next) std::this_thread::sleep_for(20ms);
    kill_one(scene, lives, dice);
    next = lives.begun() + 1 + static_cast<int>(dice() % static_cast<unsigned>(2 * plan.lives_between));
  }
  return count;
}

/// Each container's state at the end, from the engine itself.
void truth_at_the_end(Lives& lives, std::vector<Life>& all, const std::string& socket) {
  EngineWorld world{socket};
  for (auto& life : all) {
    if (life.ends_as.empty()) continue;
    life.ends_as = world.state(life.id);
  }
  static_cast<void>(lives);
}

void judge(const std::vector<Life>& lives, const std::vector<Heard>& stream, bool says_asked_ends) {
  std::map<std::string, std::vector<Heard>> by_container;
  std::vector<Heard> gaps;
  for (const auto& heard : stream) {
    if (heard.kind == "gap") gaps.push_back(heard);
    if (heard.kind != "gap" || !heard.container.empty()) by_container[heard.container].push_back(heard);
  }
  int whole = 0, wrong = 0;
  for (const auto& life : lives) {
    if (life.id.empty()) continue;  // its creation failed: the engine has never had it
    whole += life.whole ? 1 : 0;
    const auto bad = disagreement(life, by_container[life.id], gaps, says_asked_ends);
    if (bad.empty() || ++wrong > 20) continue;
    UNSCOPED_INFO(life.id.substr(0, 12)
                  << " from " << to_rfc3339(life.from) << " to " << to_rfc3339(life.to) << ": " << bad << " ["
                  << kinds_of(by_container[life.id], true) << "]");
  }
  CHECK(wrong == 0);
  CHECK(whole > 0);
  const auto numbers = broken_numbers(stream);
  CHECK(numbers.empty());
  std::cerr << "campaign: " << lives.size() << " lives, " << whole << " of them without an engine killed, "
            << stream.size() << " events, " << gaps.size() << " gaps\n";
}

void campaign(const std::string& socket, const Plan& plan) {
  CAPTURE(socket, plan.seed, plan.cycles);
  bool podman = false;
  {
    EngineWorld world{socket};  // brings the image
    podman = world.podman();
  }
  Lives lives{socket, plan.cycles, plan.seed};
  lives.remove_all();
  Scene scene{socket};
  scene.stream_settles();
  std::vector<std::jthread> drivers;
  for (int i = 0; i < plan.drivers; ++i)
    drivers.emplace_back([&lives, i] { lives.drive(static_cast<unsigned>(i)); });
  const int killed = killings(scene, lives, plan);
  drivers.clear();
  scene.engine_answers();
  scene.stream_settles();
  auto all = lives.all();
  truth_at_the_end(lives, all, socket);
  scene.holder_ends(SIGTERM);
  CHECK(killed > 0);
  judge(all, scene.stream(), !podman);
  const auto kept = scene.kept();
  CHECK(kept.waiting == 0);
  CHECK(kept.ids == scene.published_ids());
  lives.remove_all();
}

}  // namespace

TEST_CASE(
    "EL15 EV01 EV02 EV03 through many lives, with engine, broker and holder killed, the stream and the "
    "truth agree",
    "[docker][podman][nats]") {
  const auto sockets = mortal_sockets();  // the first is a Docker; all have their turn in the long one
  if (!sockets.empty()) campaign(sockets.front(), {60, 7, 3, 8});
}

TEST_CASE("through ten thousand lives, with engine, broker and holder killed, the stream and the truth agree",
          "[.slow][docker][podman][nats]") {
  const auto sockets = mortal_sockets();
  if (sockets.empty()) return;
  const int cycles = number_from("BERTH_CAMPAIGN_CYCLES", 10'000) / static_cast<int>(sockets.size());
  const auto seed = static_cast<unsigned>(number_from("BERTH_CAMPAIGN_SEED", 1));
  for (const auto& socket : sockets) campaign(socket, {cycles, seed, 4, 25});
}

}  // namespace berth::test::campaign
