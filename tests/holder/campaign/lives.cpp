#include "tests/holder/campaign/lives.h"

#include <unistd.h>

#include <thread>

#include "base/error.h"
#include "base/hash.h"

namespace berth::test::campaign {
namespace {

using namespace std::chrono_literals;
using holder::engine::Engine;

constexpr const char* kImage = "berth-test-busybox:latest";
constexpr const char* kWaits = "trap 'exit 5' TERM; while :; do sleep 0.05; done";

holder::client::ContainerSpec shell(const std::string& name, const std::string& script) {
  holder::client::ContainerSpec spec;
  spec.name = name;
  spec.image = kImage;
  spec.command = std::vector<std::string>{"sh", "-c", script};
  spec.network_mode = "none";
  spec.labels["berth-test"] = "campaign";
  spec.labels["exitCode"] = "99";  // a lie, in every event of Docker's
  return spec;
}

}  // namespace

/// One thread's hand on the engine. An act that fails because the engine was killed makes the life one of
/// which not everything is known; its end is then brought about, however often it must be asked.
class Lives::Driver {
 public:
  Driver(Lives& all, unsigned who) : all_(all), dice_(all.seed_ * 1000 + who) {}

  void live() {
    life_ = {};
    life_.from = system_clock().now();
    kills_before_ = all_.kills_;
    name_ = "bt-campaign-" + random_hex(6);
    play(static_cast<int>(dice_() % 20));
    settle();
    life_.to = system_clock().now();
    life_.whole = life_.whole && all_.kills_ == kills_before_;
    const std::scoped_lock lock{all_.mutex_};
    all_.lives_.push_back(life_);
  }

 private:
  void play(int kind) {
    const int code = static_cast<int>(dice_() % 100);
    if (kind < 6)
      ends_itself(code);
    else if (kind < 9)
      is_stopped();
    else if (kind < 11)
      is_killed();
    else if (kind < 13)
      is_forced_away();
    else if (kind < 15)
      never_starts();
    else if (kind < 17)
      restarts();
    else if (kind == 17)
      removes_itself(code);
    else if (kind == 18)
      loops();
    else
      stays(code);
  }

  void ends_itself(int code) {
    runs("sleep 0.2; exit " + std::to_string(code));
    if (wait_for("exited")) tells({"died"}, code);
    removes();
  }
  void is_stopped() {
    runs(kWaits);
    ::usleep(200'000);  // so that the trap is set
    if (does([&](Engine& engine) { return engine.stop(life_.id, 5s); })) tells({"died", "stopped"});
    removes();
  }
  void is_killed() {
    runs(kWaits);
    if (does([&](Engine& engine) { return engine.kill(life_.id, "KILL"); }) && wait_for("exited"))
      tells({"died", "stopped"}, 137);
    removes();
  }
  void is_forced_away() {
    runs(kWaits);
    if (removes()) life_.kinds = {"created", "started", "died", "stopped", "removed"};
  }
  void never_starts() {
    creates("true");
    removes();
  }
  void restarts() {
    runs(kWaits);
    if (does([&](Engine& engine) { return engine.restart(life_.id, 0s); }))
      tells({"died", "stopped", "started"});
    if (removes())
      life_.kinds = {"created", "started", "died", "stopped", "started", "died", "stopped", "removed"};
  }
  void removes_itself(int code) {
    auto spec = shell(name_, "sleep 0.2; exit " + std::to_string(code));
    spec.auto_remove = true;
    creates(spec);
    if (starts()) tells({"died", "removed"}, code);
    for (int i = 0; i < 200 && !is_gone(); ++i) ::usleep(50'000);
  }
  /// What it tells is held back, and only its end is known.
  void loops() {
    auto spec = shell(name_, "exit 1");
    spec.restart = "always";
    creates(spec);
    starts();
    ::usleep(1'500'000);
    life_.whole = false;
  }
  /// Is still there at the end, as it is.
  void stays(int code) {
    if (all_.begun_ % 2 == 0) {
      runs("sleep 0.2; exit " + std::to_string(code));
      if (wait_for("exited")) tells({"died"}, code);
      life_.ends_as = "exited";
    } else {
      runs("sleep 100000");
      life_.ends_as = "running";
    }
  }

  void creates(const std::string& script) { creates(shell(name_, script)); }
  void creates(const holder::client::ContainerSpec& spec) {
    does([&](Engine& engine) -> Status {
      auto created = engine.create(spec);
      if (!created) return created.error();
      life_.id = created->id;
      return {};
    });
    life_.kinds = {"created"};
  }
  bool starts() {
    const bool started = does([&](Engine& engine) { return engine.start(life_.id); });
    if (started) tells({"started"});
    return started;
  }
  void runs(const std::string& script) {
    creates(script);
    starts();
  }
  bool removes() {
    const bool removed = does([&](Engine& engine) { return engine.remove(life_.id, true, true); });
    if (removed) tells({"removed"});
    return removed;
  }
  void tells(std::initializer_list<const char*> kinds, std::optional<int> code = {}) {
    for (const auto* kind : kinds) life_.kinds.emplace_back(kind);
    if (code) life_.exit_code = code;
  }

  /// Once a life has lost its thread, the rest of its play is left out.
  template <class F>
  bool does(F&& act) {
    if (!life_.whole) return false;
    if (!engine_ && !connect()) return life_.whole = false;
    const Status done = act(*engine_);
    if (done) return true;
    engine_.reset();
    return life_.whole = false;
  }
  bool connect() {
    auto opened = Engine::open(all_.socket_, {}, all_.seam_);
    if (opened) engine_ = std::move(opened).value();
    return opened.ok();
  }
  bool wait_for(const std::string& state) {
    for (int i = 0; i < 400 && life_.whole; ++i) {
      std::string now;
      does([&](Engine& engine) -> Status {
        auto seen = engine.inspect(life_.id);
        if (!seen) return seen.error();
        now = seen->summary.state;
        return {};
      });
      if (now == state) return true;
      ::usleep(30'000);
    }
    return life_.whole = false;
  }
  bool is_gone() {
    if (!engine_ && !connect()) return false;
    const auto seen = engine_->inspect(name_);
    if (seen) return false;
    if (seen.error().code == Errc::not_found) return true;
    engine_.reset();
    return false;
  }

  /// Brings about what the life is to end as, whatever went wrong.
  void settle() {
    if (life_.whole && (!life_.ends_as.empty() || is_gone())) return;
    life_.whole = false;
    life_.ends_as.clear();
    for (int i = 0; i < 600 && !is_gone(); ++i) {
      if (engine_) {
        if (const auto seen = engine_->inspect(name_); seen && life_.id.empty()) life_.id = seen->summary.id;
        static_cast<void>(engine_->remove(name_, true, true));
      }
      ::usleep(100'000);
    }
  }

  Lives& all_;
  std::mt19937 dice_;
  std::unique_ptr<Engine> engine_;
  Life life_;
  std::string name_;
  int kills_before_ = 0;
};

void Lives::drive(unsigned who) {
  Driver driver{*this, who};
  while (begun_.fetch_add(1) < count_) driver.live();
}

std::vector<Life> Lives::all() {
  const std::scoped_lock lock{mutex_};
  return lives_;
}

void Lives::remove_all() {
  auto engine = Engine::open(socket_, {}, seam_);
  if (!engine) return;
  const auto list = (*engine)->list();
  if (!list) return;
  for (const auto& row : *list) {
    const auto label = row.labels.find("berth-test");
    if (label != row.labels.end() && label->second == "campaign")
      static_cast<void>((*engine)->remove(row.id, true, true));
  }
}

}  // namespace berth::test::campaign
