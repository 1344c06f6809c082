#include "host/serve/asks.h"

#include <algorithm>

#include "base/fields.h"
#include "host/apply/preview.h"
#include "host/apply/seat.h"
#include "host/release/cause.h"
#include "host/release/trial.h"
#include "host/serve/past.h"
#include "host/serve/probe.h"
#include "host/serve/snapshot.h"

namespace berth::host::serve {
namespace {

Status nothing_more(const Json& request) {
  Fields f{request, ""};
  f.text("what");
  return f.finish();
}

Result<std::string> push_id_of(const Json& request) {
  Fields f{request, ""};
  f.text("what");
  auto push_id = f.text("push_id");
  TRY(f.finish());
  return push_id;
}

Result<Json> status(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  return status_document(asked.site, asked.store, asked.started_at);
}

Result<Json> seat(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  const auto view = apply::look_at_holder(asked.site);
  return Json{{"answering", view.answering}, {"cause", view.cause}, {"seat", view.seat}};
}

Result<Json> read_snapshot(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  return snapshot(asked.site, asked.store, TRY(apply::is_latched(asked.store)));
}

Result<Json> records(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  Json list = Json::array();
  for (const auto& record : TRY(Records(asked.store, asked.site.config.machine).all()))
    list.push_back(record.document());
  return Json{{"records", list}};
}

Result<Json> push(Asked& asked, const Json& request) {
  const auto push_id = TRY(push_id_of(request));
  const Pushes pushes(asked.store, asked.site.config.machine);
  const auto row = TRY(pushes.find(push_id));
  const auto containers = TRY(pushes.fact("containers", push_id));
  const bool seen = containers.is_object();
  return Json{{"push_id", push_id},
              {"state", row ? row->state : "unknown"},
              {"report", row ? row->report : Json{}},
              {"before", seen ? containers["before"] : Json::array()},
              {"after", seen ? containers["after"] : Json::array()}};
}

Result<Json> pushes(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  return pushes_document(asked.site, asked.store);
}

Result<Json> before(Asked& asked, const Json& request) {
  return before_document(asked.site, asked.store, TRY(push_id_of(request)));
}

Result<Json> make_probe(Asked& asked, const Json& request) {
  TRY(nothing_more(request));
  return probe(asked.site, TRY(apply::is_latched(asked.store)));
}

Result<Json> plan(Asked& asked, const Json& request) {
  Fields f{request, ""};
  f.text("what");
  const auto& body = f.object("push");
  TRY(f.finish());
  return apply::preview(body, asked.store, asked.site);
}

Result<Json> confirm(Asked& asked, const Json& request) {
  return asked.applier->confirm(TRY(push_id_of(request)));
}

Result<Json> switch_release(Asked& asked, const Json& request) {
  return release::switch_release(request, asked.store, asked.site, asked.places);
}

constexpr AskRow kRows[] = {
    {"status", false, status},   {"seat", false, seat},      {"snapshot", false, read_snapshot},
    {"records", false, records}, {"push", false, push},      {"pushes", false, pushes},
    {"before", false, before},   {"probe", false, make_probe},
    {"plan", false, plan},       {"confirm", true, confirm}, {"release", true, switch_release},
};

}  // namespace

std::span<const AskRow> ask_rows() { return kRows; }

Result<const AskRow*> find_ask(const Json& request) {
  const auto what = request.is_object() ? request.value("what", Json{}) : Json{};
  const auto* row = std::ranges::find_if(kRows, [&](const AskRow& r) { return what == Json(r.what); });
  if (row != std::end(kRows)) return row;
  std::string names;
  for (const auto& known : kRows) names += (names.empty() ? "" : ", ") + std::string{known.what};
  return fail_field(Errc::bad_request, "what", "what must be one of " + names);
}

namespace {

/// The release on trial, or the last one; one that failed says why.
Result<Json> trial_document(store::Store& store) {
  const auto trial = TRY(release::read_trial(store));
  if (!trial) return Json{};
  auto document = trial->document();
  if (const auto cause = TRY(release::kept_cause(store)); !cause.empty()) document["cause"] = cause;
  return document;
}

}  // namespace

Result<Json> status_document(const apply::Site& site, store::Store& store, const std::string& started_at) {
  const auto trial = TRY(trial_document(store));
  const auto newest = TRY(Pushes(store, site.config.machine).newest());
  const auto token = TRY(document_setting(store, "token"));
  const bool latched = TRY(apply::is_latched(store));
  return Json{{"machine", site.config.machine},
              {"machine_id", site.machine_id},
              {"fleet", site.config.fleet},
              {"store", store.id()},
              {"host_version", site.version},
              {"cli_path", site.linked.cli != nullptr ? "present" : "absent"},
              {"holder_path", site.linked.holder != nullptr ? "present" : "absent"},
              {"latched", latched},
              {"token", token.is_number_integer() ? token : Json(0)},
              {"sequence", newest ? newest->sequence : 0},
              {"release", {{"version", site.version}, {"trial", trial}}},
              {"started_at", started_at}};
}

}  // namespace berth::host::serve
