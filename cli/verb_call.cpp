#include "cli/verb_call.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/names.h"
#include "bus/subjects.h"
#include "catalogue/subjects.h"
#include "cli/known.h"
#include "schema/queries.h"

namespace berth::cli {
namespace {

using store::Query;

struct IssuedRow {
  std::string cls, verb, subject;
  static IssuedRow from(const store::Columns& c) { return {c.text(0), c.text(1), c.text(2)}; }
};
constexpr Query<IssuedRow(std::string_view, std::string_view, std::string_view)> kIssuedVerb{
    schema::queries::issued_verb};

/// The holder has 20 s for the engine beyond the wait the caller asked for; we give it a little more.
constexpr std::chrono::seconds kLimit{25};
/// Members that are text even when they look like a number: an id's first digits, a time.
constexpr std::array<std::string_view, 6> kTexts{"container", "name", "after", "since", "until", "image"};

/// For a message: what was issued there, by name.
std::string served_verbs(store::Store& store, std::string_view machine) {
  std::string names;
  const auto issued = catalogue::issued_subjects(store);
  if (!issued) return issued.error().detail;
  for (const auto& row : *issued) {
    const bool is_verb = row.cls == "read" || row.cls == "act";
    if (row.machine == machine && row.owner == bus::kSeat && is_verb)
      names += (names.empty() ? "" : ", ") + row.name;
  }
  return names;
}

Error not_issued(store::Store& store, std::string_view machine, std::string_view verb) {
  if (const auto known = check_machine(store, std::string{machine}); !known) return known.error();
  const auto listing = store.first(kIssuedVerb, machine, bus::kSeat, "list");
  if (listing && *listing) {
    return fail_field(Errc::unknown_verb, "verb",
                      "the seat serves no verb \"" + std::string{verb} + "\" on " + std::string{machine} +
                          ", but " + served_verbs(store, machine));
  }
  return Error{.code = Errc::seat_unheld,
               .detail = "nobody holds the seat " + std::string{bus::kSeat} + " on " + std::string{machine} +
                         ", so no subject was issued to ask it on",
               .seat = std::string{bus::kSeat}};
}

Result<std::string> with_caller(std::string_view pattern, std::string_view caller) {
  TRY(CallerName::parse(caller));
  if (!pattern.ends_with(".*"))
    return fail(Errc::failed, "the issued subject " + std::string{pattern} + " has no place for a caller");
  return std::string{pattern.substr(0, pattern.size() - 1)} + std::string{caller};
}

std::chrono::milliseconds limit_of(const Json& params) {
  const auto at = params.find("timeout_s");
  const auto wait = at != params.end() && at->is_number_integer()
                        ? std::clamp<std::int64_t>(at->get<std::int64_t>(), 0, 120)
                        : 10;
  return kLimit + std::chrono::seconds{wait};
}

Json typed(std::string_view key, const std::string& text) {
  if (std::ranges::find(kTexts, key) != kTexts.end()) return text;
  if (text == "true" || text == "false") return text == "true";
  const bool number =
      !text.empty() && text.size() <= 15 && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? Json(std::stoll(text)) : Json(text);
}

}  // namespace

Result<IssuedVerb> issued_verb(store::Store& store, std::string_view machine, std::string_view verb,
                               std::string_view caller) {
  auto row = TRY(store.first(kIssuedVerb, machine, bus::kSeat, verb));
  if (const auto bar = verb.find('_'); !row && bar != std::string_view::npos) {
    row = TRY(store.first(kIssuedVerb, machine, bus::kSeat, verb.substr(bar + 1)));
  }
  if (!row) return not_issued(store, machine, verb);
  auto subject = TRY(with_caller(row->subject, caller));
  return IssuedVerb{std::string{machine}, row->cls, row->verb, std::move(subject)};
}

Result<Json> ask(bus::Bus& bus, const IssuedVerb& verb, const Json& params) {
  auto reply = bus.request(verb.subject, params.dump(), limit_of(params));
  if (!reply) return std::move(reply).error().while_doing(verb.machine + ": " + verb.verb);
  auto body = TRY(parse_json(reply->data, verb.machine + "'s answer"));
  if (reply->headers.contains("Nats-Service-Error-Code")) return from_problem(body).while_doing(verb.machine);
  return body;
}

Result<Json> parse_params(const std::vector<std::string>& words) {
  Json params = Json::object();
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail_field(Errc::bad_request, word, "\"" + word + "\" is not key=value or key:=JSON");
    }
    const bool is_json = word[equals - 1] == ':';
    const auto key = word.substr(0, equals - (is_json ? 1 : 0));
    const auto text = word.substr(equals + 1);
    if (key.empty() || params.contains(key)) {
      return fail_field(
          Errc::bad_request, key,
          "\"" + word + "\": the parameter " + (key.empty() ? "has no name" : "is given twice"));
    }
    params[key] = is_json ? TRY(parse_json(text, "the value of " + key)) : typed(key, text);
  }
  return params;
}

}  // namespace berth::cli
