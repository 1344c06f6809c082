#pragma once
// A dispatcher over an engine, with a store of its own, as both faces use it.
#include <memory>
#include <string>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "catch.h"
#include "holder/verbs/dispatcher.h"
#include "tests/support/memory_engine.h"
#include "tests/support/fakes.h"

namespace berth::test {

class Bench {
 public:
  using Engine = holder::engine::Engine;

  /// `engine` is borrowed.
  explicit Bench(Engine& engine) : engine_(&engine) { start(); }

  /// As if the process had ended and begun again.
  void start() {
    dispatcher_.reset();
    recorder_.reset();
    auto store = holder_store();
    recorder_.emplace(std::move(store), "alder");
    slot_.emplace([this]() -> Result<std::shared_ptr<Engine>> {
      ++opened;
      TRY(engine_->ping());
      return std::shared_ptr<Engine>{engine_, [](Engine*) {}};
    });
    holder::verbs::Facts facts{.machine = "alder", .version = "9.9.9", .engine_socket = "/run/docker.sock",
                               .engine_file = engine_file, .engine_pid_file = engine_pid_file, .bounds = bounds};
    dispatcher_.emplace(std::move(facts), *slot_, *recorder_, clock);
    if (!grants.is_null()) grant(grants);
  }

  /// The seat file's grants: [{"caller", "verbs", "class"}].
  void grant(const Json& list) {
    grants = list;
    auto parsed = holder::policy::Grants::parse(list, "grants");
    if (!parsed) FAIL(to_text(parsed.error()));
    dispatcher_->set_seat({.held = true, .module = "docker", .grants = std::move(parsed).value()});
  }

  Result<Json> host(const std::string& verb, const Json& params = Json::object()) {
    return dispatcher_->dispatch({.face = holder::verbs::Face::socket, .caller = "host", .verb = verb, .params = params});
  }
  Result<Json> bus(const std::string& verb, const Json& params = Json::object(), const std::string& caller = "alice") {
    return dispatcher_->dispatch({.face = holder::verbs::Face::bus, .caller = caller, .verb = verb, .params = params, .max_reply = max_reply});
  }

  /// verb_call as text, one row a line: "bus alice remove web refused_held".
  std::string audit() {
    auto store = store::Store::open_read_only(folder / "holder.db");
    if (!store) FAIL(to_text(store.error()));
    const auto table = store->table("SELECT face, caller, verb, coalesce(target, '-'), outcome FROM verb_call ORDER BY seq", {});
    if (!table) FAIL(to_text(table.error()));
    std::string text;
    for (const auto& row : table->rows) {
      for (const auto& value : row) text += std::get<std::string>(value) + " ";
      text.back() = '\n';
    }
    return text;
  }

  holder::verbs::Dispatcher& dispatcher() { return *dispatcher_; }
  holder::verbs::Recorder& recorder() { return *recorder_; }

  TempFolder folder;
  ScriptedSeam seam;
  HandClock clock;
  holder::client::BusBounds bounds;
  std::filesystem::path engine_file = folder / "daemon.json";
  std::filesystem::path engine_pid_file = folder / "docker.pid";
  Json grants;
  std::size_t max_reply = std::size_t{1} << 20;
  int opened = 0;

 private:
  store::Store holder_store() {
    auto store = store::Store::open(folder / "holder.db", store::Role::holder, clock, seam);
    if (!store) FAIL(to_text(store.error()));
    return std::move(store).value();
  }

  Engine* engine_;
  std::optional<holder::verbs::Recorder> recorder_;
  std::optional<holder::verbs::EngineSlot> slot_;
  std::optional<holder::verbs::Dispatcher> dispatcher_;
};

/// "ok", or "code field"; the error's whole text in Catch's capture is the caller's to add.
inline std::string outcome(const Result<Json>& answer) {
  if (answer) return "ok";
  const auto& error = answer.error();
  return std::string{error_row(error.code).name} + (error.field.empty() ? "" : " " + error.field);
}

}  // namespace berth::test
