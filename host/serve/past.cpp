#include "host/serve/past.h"

#include "base/hash.h"
#include "host/apply/engine_step.h"
#include "host/records/pushes.h"
#include "host/records/records.h"
#include "host/serve/snapshot.h"
#include "schema/queries.h"

namespace berth::host::serve {
namespace {

struct PushTold {
  Json document;
  static PushTold from(const store::Columns& c) {
    const auto text = [&](std::size_t i) { return c.maybe_text(i) ? Json(*c.maybe_text(i)) : Json{}; };
    const auto held = c.maybe_integer(6);
    return {{{"push_id", c.text(0)},
             {"kind", c.text(1)},
             {"sequence", c.integer(2)},
             {"token", c.integer(3)},
             {"state", c.text(4)},
             {"restores", text(5)},
             {"seat_held", held ? Json(*held != 0) : Json{}},
             {"accepted_at", c.text(7)},
             {"ended_at", text(8)}}};
  }
};

constexpr store::Query<PushTold(std::string_view)> kPushesTold{schema::queries::host_pushes};

Json file_of(const std::string& path, const Json& text) {
  const bool exists = text.is_string();
  return {{"path", path},
          {"exists", exists},
          {"text", text},
          {"sha256", sha256_hex(exists ? text.get<std::string>() : "")}};
}

Json documents(const std::vector<Record>& records) {
  Json list = Json::array();
  for (const auto& record : records) list.push_back(record.document());
  return list;
}

}  // namespace

Result<Json> pushes_document(const apply::Site& site, store::Store& store) {
  Json list = Json::array();
  for (auto& row : TRY(store.all(kPushesTold, site.config.machine))) list.push_back(std::move(row.document));
  return Json{{"pushes", std::move(list)}};
}

Result<Json> before_document(const apply::Site& site, store::Store& store, std::string_view push_id) {
  const Pushes pushes(store, site.config.machine);
  if (!TRY(pushes.find(push_id)))
    return fail_field(Errc::not_found, "push_id", "no push " + std::string{push_id} + " was accepted here");
  const auto bytes = TRY(pushes.fact(apply::kEngineFileFact, push_id));
  const bool known = bytes.is_object();
  const auto& path = site.config.engine_file;
  const auto now = known ? Json{} : TRY(file_document(site));
  const auto file = known ? file_of(path, bytes.value("before", Json{})) : now;
  const auto after = known ? file_of(path, bytes.value("after", Json{})) : now;
  const auto records = TRY(Records(store, site.config.machine).as_before_push(push_id));
  return Json{{"push_id", push_id},
              {"known", known},
              {"file", file},
              {"after", after},
              {"records", documents(records)},
              {"keys", keys_document(file, {{"flags", Json::object()}}, records, path)}};
}

}  // namespace berth::host::serve
