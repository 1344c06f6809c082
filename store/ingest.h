#pragma once
#include <string_view>

#include "base/json_fwd.h"
#include "base/result.h"
#include "store/store.h"

namespace berth::store {

/// What the operator's store learns from machines. Everything here is idempotent: a document that is known
/// already changes nothing, and an older one never overwrites what a newer one said.

enum class Ingested { fresh, known };

/// One message of the events or the reports stream, told apart by its subject. The broker lets a machine
/// publish under its own name alone, so a body that names another machine than its subject is refused
/// (Errc::not_granted). Errc::bad_request names what is wrong in a malformed one.
Result<Ingested> ingest_message(Store& store, std::string_view subject, std::string_view data);

/// An apply's report: a row of apply_report, and the machine's version and path as of its newest report.
Result<Ingested> ingest_report(Store& store, const Json& report);

/// A runtime event or the notice `gap`: a row of runtime_event, and the container as last observed.
Result<Ingested> ingest_event(Store& store, const Json& event);

/// The containers a machine has at `at`, whole (docs/formats.md, snapshot): one that is not among them is gone.
Status observe_containers(Store& store, std::string_view machine, std::string_view at, const Json& containers);

/// A machine's resource records, whole, as host.ask gives them: the operator's copy becomes equal to them.
Status reflect_records(Store& store, std::string_view machine, const Json& records);

/// A snapshot as host.ask gives it: kept verbatim in config_snapshot, its containers observed and its records
/// reflected, in one transaction. Who owns which key (config_key) is the migration's to say. The id of the row.
Result<std::int64_t> ingest_snapshot(Store& store, const Json& snapshot);

}  // namespace berth::store
