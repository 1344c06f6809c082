#include "base/fields.h"
#include "base/json.h"
#include "schema/queries.h"
#include "store/ingest.h"

namespace berth::store {
namespace {

using Text = std::string_view;
using Maybe = std::optional<std::string>;
namespace sql = schema::queries;

struct Mirrored {
  std::string found;
  std::string state;
  static Mirrored from(const Columns& c) { return {c.text(0), c.text(1)}; }
};

constexpr Query<void(Text, Text, Text, Text, Text, Maybe, std::optional<std::int64_t>, Maybe, std::int64_t, Text)>
    kContainerObserved{sql::container_observed};
constexpr Query<void(Text, Text, Text)> kContainersGone{sql::containers_gone};
constexpr Query<Mirrored(Text, Text)> kRecordMirrored{sql::record_mirrored};
constexpr Query<void(Text, Text)> kRecordDropped{sql::record_mirror_dropped};
constexpr Query<void(Text, Text, Maybe, Text, Text, Text, Text, Text, Maybe, Maybe, Text)> kRecordSet{
    sql::record_mirror_set};
constexpr Query<void(Text, Text)> kRecordsKept{sql::records_mirror_kept};
constexpr Query<std::int64_t(Text, Text, Text, Text)> kSnapshotTaken{sql::snapshot_taken};

Status observe_one(Store& store, Text machine, Text at, const Json& container) {
  Fields f{container, "container"};
  const auto id = f.text("id");
  const auto name = f.text("name", "");
  const auto image = f.text("image", "");
  const auto state =
      f.one_of("state", {"created", "running", "paused", "restarting", "removing", "exited", "dead", "unknown"}, "");
  const auto assignment = f.maybe_text("assignment");
  const auto pid = f.integer("pid", 0, INT32_MAX, 0);
  auto started = f.maybe_text("started_at");
  if (started && started->empty()) started.reset();  // never started
  const auto restarts = f.integer("restarts", 0, INT32_MAX, 0);
  f.any("pinned_resolvers");  // kept in the snapshot's body, which the audit asks
  TRY(f.finish());
  TRY(store.run(kContainerObserved, machine, id, name, image, state, assignment,
                pid == 0 ? std::nullopt : std::optional{pid}, started, restarts, at));
  return {};
}

/// A record made anew has another found state than the one before it, which the schema lets no update do.
Status make_way(Store& store, Text machine, Text id, const std::string& found) {
  const auto had = TRY(store.first(kRecordMirrored, machine, id));
  if (had && had->state != "intended" && had->found != found) TRY(store.run(kRecordDropped, machine, id));
  return {};
}

Maybe document_text(const Json& value) { return value.is_null() ? std::nullopt : Maybe{value.dump()}; }

Status reflect_one(Store& store, Text machine, const Json& record) {
  Fields f{record, "record"};
  const auto id = f.text("id");
  const auto module = f.maybe_text("module");
  const auto type = f.text("type");
  const auto origin = f.one_of("origin", {"carried", "declared"}, "");
  const auto state = f.one_of("state", {"intended", "applied", "giving_back"}, "");
  const auto declared = f.any("declared").dump();
  const auto found = f.any("found").dump();
  const auto applied = document_text(f.any("applied"));
  const auto push_id = f.maybe_text("push_id");
  const auto updated_at = f.text("updated_at");
  f.any("machine");
  TRY(f.finish());
  TRY(make_way(store, machine, id, found));
  TRY(store.run(kRecordSet, machine, id, module, type, origin, state, declared, found, applied, push_id, updated_at));
  return {};
}

Status must_be_list(const Json& value, Text what) {
  if (value.is_array()) return {};
  return fail_field(Errc::bad_request, std::string{what}, std::string{what} + " must be a list");
}

std::string ids_of(const Json& list) {
  Json ids = Json::array();
  for (const auto& item : list) ids.push_back(item.at("id"));
  return ids.dump();
}

}  // namespace

Status observe_containers(Store& store, Text machine, Text at, const Json& containers) {
  TRY(must_be_list(containers, "containers"));
  return store.transaction([&]() -> Status {
    for (const auto& container : containers) TRY(observe_one(store, machine, at, container));
    TRY(store.run(kContainersGone, machine, at, ids_of(containers)));
    return {};
  });
}

Status reflect_records(Store& store, Text machine, const Json& records) {
  TRY(must_be_list(records, "records"));
  return store.transaction([&]() -> Status {
    for (const auto& record : records) TRY(reflect_one(store, machine, record));
    TRY(store.run(kRecordsKept, machine, ids_of(records)));
    return {};
  });
}

Result<std::int64_t> ingest_snapshot(Store& store, const Json& snapshot) {
  Fields f{snapshot, "snapshot"};
  const auto machine = f.text("machine");
  const auto taken = parse_rfc3339(f.text("taken_at"));
  if (!taken) f.refuse("taken_at", "must be an RFC 3339 time");
  const auto& file = f.object("file");
  const auto& containers = f.array("containers");
  const auto& records = f.array("records");
  Fields about{file, "snapshot.file"};
  const auto sha256 = about.text("sha256");
  for (const auto& [key, value] : file.items()) about.any(key);
  if (snapshot.is_object()) {
    for (const auto& [key, value] : snapshot.items()) f.any(key);
  }
  TRY(f.finish());
  TRY(about.finish());
  std::int64_t id = 0;
  TRY(store.transaction([&]() -> Status {
    const auto at = to_rfc3339(*taken);
    id = TRY(store.first(kSnapshotTaken, machine, at, sha256, snapshot.dump())).value_or(0);
    TRY(observe_containers(store, machine, at, containers));
    return reflect_records(store, machine, records);
  }));
  return id;
}

}  // namespace berth::store
