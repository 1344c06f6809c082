#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "holder/boxes/conformance/rule.h"

namespace berth::holder::boxes::conformance {

Bench::Bench(World& world) : world_(world), run_("c" + random_hex(3)) {}

BoxId Bench::box(const std::string& word) { return BoxId::parse(run_ + "-" + word).value(); }
LoginId Bench::login(const std::string& word) { return LoginId::parse(run_ + "-" + word).value(); }

Result<BoxId> Bench::running(const std::string& word) {
  auto id = box(word);
  if (runtime().state(id) == State::running) return id;
  TRY(runtime().create_storage(id));
  TRY(runtime().ensure(id, spec()));
  TRY(runtime().start(id, spec()));
  return id;
}

Result<LoginId> Bench::running_login() {
  auto id = login("login");
  TRY(runtime().start_login(id));
  return id;
}

Result<RunResult> Bench::shell(const Place& place, const std::string& script, RunBounds bounds) {
  if (!bounds.limit) bounds.limit = std::chrono::seconds{30};
  return runtime().run(place, {.argv = {"sh", "-c", script}, .dir = {}, .environment = {}}, bounds);
}

Result<std::string> Bench::said(const Place& place, const std::string& script) {
  auto done = TRY(shell(place, script));
  if (done.exit_code != 0)
    return fail(Errc::failed, "\"" + script + "\" ended with " + std::to_string(done.exit_code) + ": " +
                                  done.out + done.err);
  while (!done.out.empty() && done.out.back() == '\n') done.out.pop_back();
  return done.out;
}

Result<std::vector<Object>> Bench::kept() {
  std::vector<Object> ours;
  for (auto& object : TRY(runtime().inventory())) {
    if (object.box.starts_with(run_ + "-") || object.name.find(run_ + "-") != std::string::npos)
      ours.push_back(std::move(object));
  }
  return ours;
}

Status Bench::clear() {
  for (const auto& object : TRY(kept())) TRY(runtime().remove_object(object));
  const auto left = TRY(kept());
  return left.empty() ? Status{}
                      : fail(Errc::failed, "the inventory still has the " + left.front().kind + " " +
                                               left.front().name + " after everything in it was removed");
}

Status expect(bool holds, std::string otherwise) {
  return holds ? Status{} : Status{fail(Errc::failed, std::move(otherwise))};
}

std::vector<Rule> rules() {
  std::vector<Rule> all;
  for (const auto part : {state_rules(), storage_rules(), lifecycle_rules(), process_rules(), stream_rules(),
                          isolation_rules(), keeping_rules()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

Row try_rule(const Rule& rule, Bench& bench) {
  const auto began = std::chrono::steady_clock::now();
  const auto note = rule.check(bench);
  Row row{.outcome = Row::Outcome::passed, .rule = rule, .why = {}, .took = {}};
  row.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  row.why = note ? note->text : to_text(note.error());
  if (!note) row.outcome = Row::Outcome::failed;
  if (note && note->skipped) row.outcome = Row::Outcome::skipped;
  return row;
}

}  // namespace berth::holder::boxes::conformance
