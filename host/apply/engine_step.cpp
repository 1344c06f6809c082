#include "host/apply/engine_step.h"

#include <algorithm>

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"
#include "host/apply/on_change.h"
#include "host/apply/shared_folders.h"
#include "host/resources/units.h"

namespace berth::host::apply {
namespace {

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json{}; }

/// Whether two texts are the same document; no file is the same as an empty object.
bool same_document(const std::optional<std::string>& a, const std::optional<std::string>& b) {
  const auto document = [](const std::optional<std::string>& text) {
    return text ? parse_json(*text, "the engine's file") : Result<Json>{Json::object()};
  };
  const auto left = document(a);
  const auto right = document(b);
  return left && right && *left == *right;
}

Record row_of(const Item& item, const std::string& push_id, const std::optional<Record>& there) {
  Record row;
  row.id = item.id;
  row.module = item.module;
  row.type = item.type->name;
  row.state = "intended";
  row.declared = item.declared;
  row.push_id = push_id;
  if (item.exact)
    row.found = item.exact->found;
  else if (there)
    row.found = there->found;
  if (there) row.applied = there->applied;
  return row;
}

}  // namespace

/// What is kept of this edit in the record. Where the edit was made before a death and only its rows are
/// late, it is what was kept then: planned again from its own end it would know nothing of what was there
/// before.
Json EngineStep::applied_of(const resources::EngineEdit& edit, const Record& row, const Json& kept) {
  const bool made_before = row.state == "intended" && !edit.changes() && kept.is_object() &&
                           kept.contains("applied") && kept["after"] == text_or_null(edit.before) &&
                           kept["applied"].contains(row.id);
  if (made_before) return kept["applied"][row.id];
  const auto at = edit.applied.find(row.id);
  return at == edit.applied.end() ? row.applied : at->second;
}

Status EngineStep::go() {
  run_.engine_done_ = true;
  run_.wake_path();
  const auto edited = edit();
  return edited ? Status{} : all_failed(edited.error());
}

Result<resources::EngineEdit> EngineStep::plan() {
  TRY(gather());
  auto edit = TRY(resources::prepare_engine_edit(run_.world_, give_backs_, declares_));
  TRY(check_expected_bytes(edit));
  TRY(put_back_bytes(edit));
  return edit;
}

Status EngineStep::edit() {
  const auto edit = TRY(plan());
  TRY(refuse_blind(edit));
  TRY(intend(edit));
  const auto outcome = TRY(resources::make_engine_edit(run_.world_, edit));
  return settle(edit, outcome);
}

/// An engine that runs and cannot be asked could not confirm that it took the edit; one that does not run
/// takes it when it starts.
Status EngineStep::refuse_blind(const resources::EngineEdit& edit) const {
  if (!run_.opened_.silent || !edit.changes()) return {};
  if (!TRY(run_.world_.units.state(run_.world_.engine_unit)).is_running()) return {};
  return fail(Errc::engine_unreachable,
              run_.world_.engine_file +
                  " is not changed while the engine cannot confirm it: " + run_.opened_.silent->detail);
}

Status EngineStep::gather() {
  for (const auto& record : run_.plan_.give_back) {
    if (!run_.is_engine_file(record.type, record.declared)) continue;
    give_backs_.push_back(
        {record.id, record.declared, record.found, record.applied, record.state == "giving_back"});
  }
  TRY(gather_items());
  return gather_others();
}

Status EngineStep::gather_items() {
  for (const auto& item : run_.plan_.items) {
    if (!run_.is_engine_file(item.type->name, item.declared)) continue;
    const auto there = TRY(run_.records_.find(item.id));
    if (there && !run_.is_engine_file(there->type, there->declared)) {
      return fail(Errc::conflict, item.id + " was about another thing; give it back first");
    }
    auto row = row_of(item, run_.push_of(item, there), there);
    declares_.push_back({item.id, item.declared, row.found, item.exact && !there ? Json{} : row.applied});
    rows_.push_back(std::move(row));
    items_.push_back(&item);
  }
  return {};
}

/// Records of the file that this run says nothing of stay, and what they hold is not taken away.
Status EngineStep::gather_others() {
  for (const auto& record : TRY(run_.records_.all())) {
    const auto is_it = [&](const auto& one) { return one.id == record.id; };
    if (!run_.is_engine_file(record.type, record.declared)) continue;
    if (std::ranges::any_of(give_backs_, is_it) || std::ranges::any_of(declares_, is_it)) continue;
    declares_.push_back({record.id, record.declared, record.found, record.applied});
  }
  return {};
}

/// Once more, on the very bytes the edit was planned from.
Status EngineStep::check_expected_bytes(const resources::EngineEdit& edit) const {
  const auto expected = run_.plan_.expect.find("file");
  if (expected == run_.plan_.expect.end() ||
      !TRY(run_.pushes_.fact(kEngineFileFact, run_.plan_.push_id)).is_null())
    return {};
  const auto now = sha256_hex(edit.before.value_or(""));
  if (now == expected->second) return {};
  return fail_field(Errc::drift, "expect.file",
                    run_.world_.engine_file + " changed meanwhile: sha256 " + now + " now, " +
                        expected->second + " expected");
}

/// What a later back-out needs to restore the file byte for byte. The first edit of a push says what was
/// there before it; if somebody else wrote in between, exact bytes are never put back over his.
Status EngineStep::keep_bytes(const resources::EngineEdit& edit) {
  const auto& push_id = run_.plan_.push_id;
  if (push_id.empty() || !edit.changes()) return {};
  auto fact = TRY(run_.pushes_.fact(kEngineFileFact, push_id));
  if (fact.is_null()) {
    fact = {{"before", text_or_null(edit.before)}, {"alone", true}};
  } else if (fact["after"] != text_or_null(edit.before) && fact["between"] != text_or_null(edit.before) &&
             fact["before"] != text_or_null(edit.before)) {
    fact["alone"] = false;
  }
  fact["between"] = text_or_null(edit.reload_with);
  fact["after"] = text_or_null(edit.final);
  fact["applied"] = edit.applied;
  return run_.pushes_.set_fact(kEngineFileFact, push_id, fact);
}

/// A back-out whose end is the same document as before the push, on a file nobody else wrote since, ends with
/// the very bytes: order, spelling and white space included.
Status EngineStep::put_back_bytes(resources::EngineEdit& edit) const {
  if (run_.plan_.restores.empty()) return {};
  const auto fact = TRY(run_.pushes_.fact(kEngineFileFact, run_.plan_.restores));
  if (!fact.is_object() || fact.value("alone", Json{}) != Json(true)) return {};
  const auto before =
      fact["before"].is_string() ? std::optional{fact["before"].get<std::string>()} : std::nullopt;
  const auto now = text_or_null(edit.before);
  const bool ours = now == fact["after"] || now == fact["between"] || now == fact["before"];
  if (!ours || !same_document(edit.final, before)) return {};
  if (edit.reload_with == edit.final) edit.reload_with = before;
  edit.final = before;
  return {};
}

Status EngineStep::intend(const resources::EngineEdit& edit) {
  return run_.store_.transaction([&]() -> Status {
    TRY(keep_bytes(edit));
    for (const auto& record : give_backs_)
      TRY(run_.records_.mark(record.id, "giving_back", run_.plan_.push_id));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto& row = rows_[i];
      if (const auto found = edit.found.find(row.id); found != edit.found.end() && !items_[i]->exact)
        row.found = found->second;
      const auto there = TRY(run_.records_.find(row.id));
      if (!there && !items_[i]->exact) TRY(share_what_we_made(run_.records_, items_[i]->type->target(row.declared), row));
      const bool as_it_was = there && there->state == "applied" && there->declared == row.declared &&
                             there->found == row.found && there->push_id == row.push_id && !items_[i]->exact;
      if (as_it_was) {
        row.state = "applied";
        continue;
      }
      if (there && there->state != "intended")
        TRY(run_.records_.mark(row.id, "intended", run_.plan_.push_id));
      TRY(run_.records_.put(row));
    }
    return {};
  });
}

Status EngineStep::settle(const resources::EngineEdit& edit, const resources::EngineOutcome& outcome) {
  const auto is_changed = [&](const std::string& id) {
    const auto at = edit.changed.find(id);
    return at != edit.changed.end() && at->second;
  };
  const auto detail_of = [&](const std::string& id) {
    const auto at = edit.detail.find(id);
    auto detail = at == edit.detail.end() ? std::string{} : at->second;
    if (outcome.changed && is_changed(id) && !outcome.detail.empty())
      detail += (detail.empty() ? "" : "; ") + outcome.detail;
    return detail;
  };
  const auto kept =
      run_.plan_.push_id.empty() ? Json{} : TRY(run_.pushes_.fact(kEngineFileFact, run_.plan_.push_id));
  TRY(run_.store_.transaction([&]() -> Status {
    for (const auto& record : give_backs_) TRY(run_.records_.forget(record.id));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      auto row = rows_[i];
      const auto applied = applied_of(edit, row, kept);
      if (is_changed(row.id)) run_.changed_.insert(row.id);
      if (items_[i]->exact) {
        TRY(run_.records_.put_exactly(*items_[i]->exact));
        continue;
      }
      if (row.state == "applied" && applied == row.applied) continue;
      row.state = "applied";
      row.applied = applied;
      TRY(run_.records_.put(row));
    }
    return keep_changes_due(run_.store_, run_.changed_);
  }));
  for (const auto& record : give_backs_) TRY(run_.note(record.id, "given_back", detail_of(record.id)));
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto* item = items_[i];
    TRY(run_.note(item->id, is_changed(item->id) ? "updated" : "unchanged", detail_of(item->id)));
  }
  run_.ran_.changed |= outcome.changed || !give_backs_.empty();
  return {};
}

Status EngineStep::all_failed(const Error& error) {
  Status last;
  for (const auto& record : give_backs_) {
    if (auto status = run_.failed(record.id, error); !status) last = status;
  }
  for (const auto* item : items_) {
    if (auto status = run_.failed(item->id, error); !status) last = status;
  }
  if (give_backs_.empty() && items_.empty()) {
    if (!run_.ran_.failure) run_.ran_.failure = error;
    return run_.plan_.whole ? Status{error} : Status{};
  }
  return last;
}

}  // namespace berth::host::apply
