#include "host/records/record.h"

#include "base/fields.h"

namespace berth::host {
namespace {

// The schema checks json_valid, so what is parsed here was written by us.
Json document_of(const std::string& text) {
  auto parsed = parse_json(text, "a stored record");
  return parsed ? std::move(parsed).value() : Json{};
}

std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

}  // namespace

Record Record::from(const store::Columns& c) {
  Record record;
  record.id = c.text(0);
  record.module = c.text(1);
  record.type = c.text(2);
  record.state = c.text(4);
  record.declared = document_of(c.text(5));
  record.found = document_of(c.text(6));
  if (const auto applied = c.maybe_text(7)) record.applied = document_of(*applied);
  record.push_id = c.text(8);
  record.updated_at = c.text(9);
  return record;
}

Result<Record> Record::from_history(const std::string& before) {
  const auto row = TRY(parse_json(before, "a row of resource_history", 70));
  Record record;
  record.id = text_at(row, "id");
  record.module = text_at(row, "module");
  record.type = text_at(row, "type");
  record.state = text_at(row, "state");
  record.declared = row.value("declared", Json{});
  record.found = row.value("found", Json{});
  record.applied = row.value("applied", Json{});
  record.push_id = text_at(row, "push_id");
  record.updated_at = text_at(row, "updated_at");
  return record;
}

Json Record::document() const {
  return {{"id", id},
          {"module", carried() ? Json{} : Json(module)},
          {"type", type},
          {"origin", origin()},
          {"state", state},
          {"declared", declared},
          {"found", found},
          {"applied", applied},
          {"push_id", push_id.empty() ? Json{} : Json(push_id)},
          {"updated_at", updated_at}};
}

}  // namespace berth::host
