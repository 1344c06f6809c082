#include "base/error.h"

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"

namespace berth {
namespace {

constexpr ErrorRow kRows[] = {
    {Errc::bad_request, "bad_request", 400, 2, "The request is malformed"},
    {Errc::refused_root_equivalent, "refused_root_equivalent", 403, 3,
     "The container would be root on the machine"},
    {Errc::refused_held, "refused_held", 403, 3, "The container is held by an assignment"},
    {Errc::not_granted, "not_granted", 403, 3, "The verb is not granted to this caller by name"},
    {Errc::not_found, "not_found", 404, 1, "There is no such thing"},
    {Errc::unknown_verb, "unknown_verb", 404, 2, "There is no such verb"},
    {Errc::ambiguous, "ambiguous", 409, 2, "Several match"},
    {Errc::conflict, "conflict", 409, 1, "The state does not allow it"},
    {Errc::too_large, "too_large", 413, 2, "The message is too large"},
    {Errc::engine_refused, "engine_refused", 502, 1, "The engine refused"},
    {Errc::engine_unreachable, "engine_unreachable", 503, 4, "The engine does not answer"},
    {Errc::busy, "busy", 503, 1, "A queue is full"},
    {Errc::timeout, "timeout", 504, 4, "The time bound passed"},
    {Errc::seat_unheld, "seat_unheld", 409, 3, "The seat is not held on this machine"},
    {Errc::collision, "collision", 409, 3, "Two owners declare the same thing"},
    {Errc::missing_verb, "missing_verb", 409, 3, "The claimant lacks a verb or event of the seat"},
    {Errc::drift, "drift", 409, 3, "The machine is not as it was read"},
    {Errc::stale, "stale", 409, 3, "A newer push or runner was here"},
    {Errc::flag_conflict, "flag_conflict", 409, 3, "The key is also a flag of the engine"},
    {Errc::unfilled, "unfilled", 422, 3, "A placeholder is unknown or has no value"},
    {Errc::unparsable, "unparsable", 422, 3, "The file cannot be parsed"},
    {Errc::holder_silent, "holder_silent", 503, 4, "The seat's holder does not answer"},
    {Errc::unreachable, "unreachable", 503, 4, "It does not answer"},
    {Errc::failed, "failed", 500, 1, "It failed"},
};

}  // namespace

Error Error::while_doing(std::string_view doing) && {
  detail = std::string{doing} + ": " + detail;
  return std::move(*this);
}

Error fail(Errc code, std::string detail) { return Error{.code = code, .detail = std::move(detail)}; }

Error fail_field(Errc code, std::string field, std::string detail) {
  return Error{.code = code, .detail = std::move(detail), .field = std::move(field)};
}

std::span<const ErrorRow> error_table() { return kRows; }

const ErrorRow& error_row(Errc code) {
  const auto* row = std::ranges::find(kRows, code, &ErrorRow::code);
  return row == std::end(kRows) ? kRows[std::size(kRows) - 1] : *row;
}

namespace {

/// A detail quotes paths, files and engines, which may hold any byte; a document may not.
void put(Json& body, const char* key, const std::string& text) {
  if (!text.empty()) body[key] = repaired_utf8(text);
}

void put(Json& body, const char* key, const std::vector<std::string>& texts) {
  for (const auto& text : texts) body[key].push_back(repaired_utf8(text));
}

}  // namespace

Json to_problem(const Error& error) {
  const auto& row = error_row(error.code);
  Json body = {{"type", "berth:" + std::string{row.name}},
               {"title", row.title},
               {"status", row.status},
               {"detail", repaired_utf8(error.detail)},
               {"code", row.name}};
  put(body, "field", error.field);
  put(body, "fields", error.fields);
  put(body, "assignment", error.assignment);
  put(body, "seat", error.seat);
  put(body, "candidates", error.candidates);
  if (error.engine_status != 0) {
    body["engine"] = {{"status", error.engine_status}, {"message", repaired_utf8(error.engine_message)}};
  }
  return body;
}

namespace {

std::string text_of(const Json& body, const char* key) {
  const auto at = body.find(key);
  return at != body.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

std::vector<std::string> texts_of(const Json& body, const char* key) {
  std::vector<std::string> texts;
  if (const auto at = body.find(key); at != body.end() && at->is_array()) {
    for (const auto& item : *at) {
      if (item.is_string()) texts.push_back(item.get<std::string>());
    }
  }
  return texts;
}

}  // namespace

Error from_problem(const Json& body) {
  if (!body.is_object()) return fail(Errc::failed, "the peer answered something that is no problem document");
  const auto name = text_of(body, "code");
  const auto* row = std::ranges::find(kRows, std::string_view{name}, &ErrorRow::name);
  Error error{.code = row == std::end(kRows) ? Errc::failed : row->code,
              .detail = text_of(body, "detail"),
              .field = text_of(body, "field"),
              .fields = texts_of(body, "fields"),
              .assignment = text_of(body, "assignment"),
              .seat = text_of(body, "seat"),
              .candidates = texts_of(body, "candidates")};
  if (row == std::end(kRows) && !name.empty()) error.detail = name + ": " + error.detail;
  if (const auto engine = body.find("engine"); engine != body.end() && engine->is_object()) {
    if (const auto status = engine->find("status"); status != engine->end() && status->is_number_integer()) {
      error.engine_status = status->get<int>();
    }
    error.engine_message = text_of(*engine, "message");
  }
  return error;
}

std::string to_text(const Error& error) {
  std::string text{error_row(error.code).name};
  text += ": " + error.detail;
  if (!error.field.empty()) text += " (field " + error.field + ")";
  return text;
}

}  // namespace berth
