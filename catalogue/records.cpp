#include "catalogue/records.h"

#include "base/fields.h"
#include "base/json.h"

namespace berth::catalogue {

Result<std::vector<Record>> parse_records(const Json& records) {
  if (!records.is_array()) return fail_field(Errc::bad_request, "records", "records must be a list");
  std::vector<Record> parsed;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Fields f{records[i], "records[" + std::to_string(i) + "]"};
    Record record;
    record.id = f.text("id");
    record.module = f.text("module", "");
    record.type = f.text("type");
    record.origin = f.one_of("origin", {"carried", "declared"}, "");
    record.declared = f.object("declared").dump();
    if (records[i].is_object()) {
      for (const auto& [key, value] : records[i].items())
        f.any(key);  // the host's own members are not ours to judge
    }
    TRY(f.finish());
    parsed.push_back(std::move(record));
  }
  return parsed;
}

}  // namespace berth::catalogue
