// Names and subjects: what is taken for a caller's name, a machine's or a container's is one safe token, and a reply
// goes nowhere but into its caller's own inbox.
#include <algorithm>

#include "bus/nkey.h"
#include "bus/subjects.h"
#include "bus/wire.h"
#include "tests/fuzz/fuzz.h"

namespace berth::fuzz {
namespace {

bool is_token(std::string_view text) {
  return !text.empty() && text.find_first_of(". \t\r\n*>$") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) > ' ' && static_cast<unsigned char>(c) < 0x7f; });
}

void names_are_tokens(std::string_view text) {
  const auto machine = MachineName::parse(text);
  const auto caller = CallerName::parse(text);
  must_hold(machine.ok() == caller.ok(), "names have one rule");
  if (caller) {
    must_hold(is_token(caller->text()), "a name is a token: " + caller->text());
    const auto subject = bus::verb_subject(FleetName::parse("mesh").value(), *machine, "act", "stop", *caller);
    must_hold(bus::check_subject(subject, false).ok(), "names make subjects: " + subject);
    must_hold(std::ranges::count(subject, '.') == 5, "a subject has six tokens: " + subject);
    must_hold(bus::caller_of(subject).ok() && bus::caller_of(subject)->text() == caller->text(), "the caller is read back");
  }
  if (const auto container = ContainerRef::parse(text)) {
    must_hold(container->text().find_first_of("/%?# \r\n") == std::string::npos && container->text().front() != '-', "a container is no path, query or option");
  }
}

}  // namespace

void take_subjects(std::string_view text) {
  names_are_tokens(text);
  for (const bool wildcards : {false, true}) {
    if (!bus::check_subject(text, wildcards)) continue;
    must_hold(text.find_first_of(std::string_view{" \t\r\n\0", 5}) == std::string_view::npos, "a subject is one word of the protocol");
    must_hold(wildcards || text.find_first_of("*>") == std::string_view::npos, "no wildcard where none is asked for");
  }
  const auto alice = CallerName::parse("alice").value();
  if (bus::replies_to_caller(text, alice)) must_hold(text.starts_with("_INBOX.alice."), "a reply goes to its caller");
  if (const auto caller = bus::caller_of(text)) must_hold(is_token(caller->text()), "the caller is a token");
  static_cast<void>(bus::public_nkey(text));
}

}  // namespace berth::fuzz
