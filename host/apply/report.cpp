#include "host/apply/report.h"

#include "schema/queries.h"
#include "store/outbox.h"

namespace berth::host::apply {
namespace {

using Text = std::string_view;
constexpr store::Query<void(Text, Text, std::int64_t, Text, std::optional<std::string>, Text, Text, Text,
                            Text, std::string)>
    kReportPut{schema::queries::report_put};

Json resources_document(const std::vector<Outcome>& outcomes) {
  Json list = Json::array();
  for (const auto& one : outcomes)
    list.push_back({{"id", one.id}, {"action", one.action}, {"detail", one.detail}});
  return list;
}

Json compose(store::Store& store, const Site& site, const Said& said, std::int64_t seq) {
  Json report = {{"machine", site.config.machine},
                 {"store", store.id()},
                 {"seq", seq},
                 {"push_id", said.push_id.empty() ? Json{} : Json(said.push_id)},
                 {"at", store.now()},
                 {"result", said.result},
                 {"path", path::to_text(said.path)},
                 {"seat", said.seat},
                 {"resources", resources_document(said.resources)},
                 {"host_version", site.version},
                 {"cli_path", site.linked.cli != nullptr ? "present" : "absent"},
                 {"duration_ms", said.took.count()}};
  if (!said.cause.empty()) report["cause"] = said.cause;
  return report;
}

}  // namespace

Result<Json> queue_report(store::Store& store, const Site& site, const Said& said) {
  Json report;
  TRY(store.transaction([&]() -> Status {
    const auto seq = TRY(store::next_outbox_seq(store));
    report = compose(store, site, said, seq);
    const auto body = report.dump();
    const auto push_id = said.push_id.empty() ? std::optional<std::string>{} : std::optional{said.push_id};
    TRY(store.run(kReportPut, site.config.machine, store.id(), seq, report["at"].get<std::string>(), push_id,
                  said.result, path::to_text(said.path), site.version, report["cli_path"].get<std::string>(),
                  body));
    const auto id = site.config.machine + ":" + store.id() + ":" + std::to_string(seq);
    TRY(store::queue_message(store, "report", site.config.subjects.report, id, body));
    return {};
  }));
  return report;
}

Json containers_document(const std::vector<path::Seen>& containers) {
  Json list = Json::array();
  for (const auto& one : containers) {
    list.push_back({{"id", one.id},
                    {"name", one.name},
                    {"image", one.image},
                    {"state", one.state},
                    {"assignment", one.assignment.empty() ? Json{} : Json(one.assignment)},
                    {"pid", one.pid},
                    {"started_at", one.started_at},
                    {"restarts", one.restarts}});
  }
  return list;
}

}  // namespace berth::host::apply
