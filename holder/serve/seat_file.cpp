#include "holder/serve/seat_file.h"

#include "base/config.h"
#include "base/fields.h"
#include "base/json.h"
#include "bus/subjects.h"

namespace berth::holder::serve {
namespace {

/// A subject as it may be subscribed: `….<class>.<verb>.*`, where no token but the last, the caller's, stands
/// for many. The class is the subject's own, for that is what the broker grants by.
Result<IssuedVerb> issued_verb(const std::string& verb, const std::string& subject, const std::string& path) {
  const auto wrong = [&](const std::string& why) {
    return fail_field(Errc::bad_request, path, path + ": \"" + subject + "\" " + why);
  };
  if (!subject.ends_with(".*")) return wrong("must end in \".*\", the caller's place");
  const std::string_view fixed{subject.data(), subject.size() - 2};
  if (fixed.find_first_of("*> \t\r\n") != std::string_view::npos)
    return wrong("has a wildcard before the caller's place");
  const auto verb_dot = fixed.rfind('.');
  const auto class_dot =
      verb_dot == std::string_view::npos || verb_dot == 0 ? verb_dot : fixed.rfind('.', verb_dot - 1);
  if (class_dot == std::string_view::npos || fixed.substr(verb_dot + 1) != verb)
    return wrong("is not one of the verb " + verb);
  const auto verb_class = fixed.substr(class_dot + 1, verb_dot - class_dot - 1);
  if (verb_class == "read") return IssuedVerb{verb, policy::VerbClass::read};
  if (verb_class == "act") return IssuedVerb{verb, policy::VerbClass::act};
  return wrong("has neither read nor act before the verb");
}

Status check_plain(const std::string& subject, const std::string& path) {
  if (!subject.empty() && subject.find_first_of("*> \t\r\n") == std::string::npos) return {};
  return fail_field(Errc::bad_request, path,
                    path + ": \"" + subject + "\" must be one subject, without wildcards");
}

Result<std::string> text_at(const Json& value, const std::string& path) {
  if (value.is_string()) return value.get<std::string>();
  return fail_field(Errc::bad_request, path, path + " must be text");
}

Status read_verbs(const Json& object, const std::string& path, SeatFile& seat) {
  for (const auto& [verb, value] : object.items()) {
    const auto at = path + "." + verb;
    const auto subject = TRY(text_at(value, at));
    seat.verbs[subject] = TRY(issued_verb(verb, subject, at));
  }
  return {};
}

Status read_events(const Json& object, const std::string& path, SeatFile& seat) {
  for (const auto& [kind, value] : object.items()) {
    const auto at = path + "." + kind;
    const auto subject = TRY(text_at(value, at));
    TRY(check_plain(subject, at));
    seat.events[kind] = subject;
  }
  return {};
}

Status read_subjects(const Json& document, SeatFile& seat) {
  Fields fields{document, "subjects"};
  const auto& read = fields.object("read");
  const auto& act = fields.object("act");
  const auto& event = fields.object("event");
  TRY(fields.finish());
  TRY(read_verbs(read, "subjects.read", seat));
  TRY(read_verbs(act, "subjects.act", seat));
  return read_events(event, "subjects.event", seat);
}

}  // namespace

Result<SeatFile> SeatFile::parse(const Json& document, const std::string& machine) {
  Fields fields{document, ""};
  SeatFile seat;
  seat.fleet = fields.text("fleet");
  seat.machine = fields.text("machine");
  const auto name = fields.text("seat");
  seat.module = fields.text("module", "");
  seat.held = fields.boolean("held", false);
  const auto& subjects = fields.object("subjects");
  seat.stream = fields.text("stream", "");
  const auto& grants = fields.array("grants");
  if (name != bus::kSeat) fields.refuse("seat", "must be " + std::string{bus::kSeat});
  if (seat.machine != machine)
    fields.refuse("machine", "\"" + seat.machine + "\" is not this machine, " + machine);
  if (seat.held && seat.module.empty()) fields.refuse("module", "must say who holds the seat");
  TRY(fields.finish());
  TRY(read_subjects(subjects, seat));
  seat.grants = TRY(policy::Grants::parse(grants, "grants"));
  return seat;
}

Result<SeatFile> SeatFile::read(const std::filesystem::path& path, const std::string& machine) {
  const auto document = read_document(path);
  if (!document && document.error().code == Errc::not_found) return SeatFile{};
  if (!document) return document.error();
  auto seat = parse(*document, machine);
  if (!seat) return std::move(seat).error().while_doing(path.native());
  return seat;
}

verbs::Seat SeatFile::seat() const {
  if (!held) return {};
  return {.held = true, .module = module, .grants = grants};
}

}  // namespace berth::holder::serve
