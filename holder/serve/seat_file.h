#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json_fwd.h"
#include "base/result.h"
#include "holder/verbs/facts.h"

namespace berth::holder::serve {

/// What a message on one issued subject asks for.
struct IssuedVerb {
  std::string verb;
  policy::VerbClass verb_class = policy::VerbClass::read;  // the subject's
  auto operator<=>(const IssuedVerb&) const = default;
};

/// What the catalogue issued to this machine's holder: docs/formats.md, "Seat file".
struct SeatFile {
  std::string fleet, machine, module;
  bool held = false;
  std::map<std::string, IssuedVerb> verbs;    // by subject, which ends in ".*"
  std::map<std::string, std::string> events;  // subject by kind
  std::string stream;
  policy::Grants grants;

  /// Errors name the member and the reason, and refuse the whole file: a seat of another machine, a subject
  /// without the caller's place or of another verb. A verb that this holder does not know, or whose class is
  /// not the subject's, is refused call by call, with a record of who asked.
  static Result<SeatFile> parse(const Json& document, const std::string& machine);
  /// No file is no seat: an empty, unheld one.
  static Result<SeatFile> read(const std::filesystem::path& path, const std::string& machine);

  verbs::Seat seat() const;
};

/// Watches the seat file: tells of every change of its bytes, a removal included, within a second. A file
/// that cannot be taken is told once and the seat before stays in force. One that was put in force in part alone is told
/// again every five seconds. One thread of its own.
class SeatWatch {
 public:
  using Changed = std::function<bool(const SeatFile& seat)>;  // whether all of it is in force
  using Refused = std::function<void(const Error& error)>;

  /// Reads the file and tells of it before it answers.
  SeatWatch(std::filesystem::path path, std::string machine, Changed changed, Refused refused);
  ~SeatWatch();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::holder::serve
