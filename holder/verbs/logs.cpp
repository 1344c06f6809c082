#include <algorithm>

#include "base/json.h"
#include "holder/verbs/containers.h"
#include "holder/verbs/verbs.h"

namespace berth::holder::verbs {
namespace {

std::string read_time(Fields& fields, std::string_view key) {
  const auto text = fields.text(key, "");
  if (!text.empty() && !parse_rfc3339(text)) fields.refuse(key, "must be an RFC 3339 time");
  return text;
}

Json line_document(const engine::LogLine& line) {
  Json row = Json::object();
  auto& members = row.get_ref<Json::object_t&>();
  members.emplace("at", line.at);
  members.emplace("stream", line.stream);
  members.emplace("text", line.text);
  return row;
}

/// As many bytes as its row can have: every byte of its text written as an escape.
std::size_t most_bytes(const engine::LogLine& line) {
  return 64 + line.at.size() + line.stream.size() + 6 * line.text.size();
}

/// The newest lines that fit, oldest first. Writing a row to see how long it is costs as much as making it:
/// only where it matters.
Json newest_that_fit(const std::vector<engine::LogLine>& lines, std::size_t most, bool& truncated) {
  std::vector<Json> kept;
  std::size_t bytes = 256;
  for (const auto& line : lines) bytes += most_bytes(line);
  const bool exact = bytes > most;
  bytes = 256;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    auto row = line_document(*line);
    if (exact) bytes += row.dump(-1, ' ', false, Json::error_handler_t::replace).size() + 1;
    if (bytes > most) {
      truncated = true;
      break;
    }
    kept.push_back(std::move(row));
  }
  std::ranges::reverse(kept);
  return Json(std::move(kept));
}

}  // namespace

Result<Json> logs(Session& session, const Json& params) {
  Fields fields{params, ""};
  const auto ref = TRY(read_container(fields));
  engine::LogQuery query;
  query.tail = fields.integer("tail", 1, 2000, 200);
  query.since = read_time(fields, "since");
  query.until = read_time(fields, "until");
  if (fields.boolean("follow", false)) fields.refuse("follow", "is not served: ask again with since");
  TRY(fields.finish());
  const auto inspected = TRY(resolve(session, ref));
  const auto& container = inspected.summary;
  auto found = TRY(session.engine.logs_of(inspected, query));
  std::ranges::stable_sort(found.lines, {}, &engine::LogLine::at);
  bool truncated = found.truncated;
  auto lines = newest_that_fit(found.lines, session.max_reply, truncated);
  Json answer = {{"container", container.id},
                 {"name", container.name},
                 {"lines", std::move(lines)},
                 {"truncated", truncated}};
  put_holder(answer, container);
  return answer;
}

}  // namespace berth::holder::verbs
