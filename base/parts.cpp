#include "base/parts.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"

namespace berth {
namespace {

// The members' order is the names', so every part begins so.
constexpr std::string_view kBegins = "{\"at\":";
constexpr std::int64_t kMostNumber = INT64_MAX;
/// The digits that numbers not known yet may take, for the frame's size.
constexpr std::size_t kDigits = 6 * 20;

/// What one byte takes once it is in a JSON text, at most.
std::size_t cost(char c) {
  if (c == '"' || c == '\\') return 2;
  return static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
}

bool begins_a_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

/// Where the part that begins at `from` ends: as much as has room, and no character cut in two.
std::size_t end_of(std::string_view whole, std::size_t from, std::size_t room) {
  std::size_t used = 0, end = from;
  for (auto at = from; at <= whole.size(); ++at) {
    if (at == whole.size() || begins_a_character(whole[at])) end = at;
    if (at == whole.size() || (used += cost(whole[at])) > room) break;
  }
  return end;
}

std::string wrong(const Part& part) { return "part " + std::to_string(part.part) + " of " + part.whole; }

}  // namespace

bool is_part(std::string_view message) {
  const auto next = kBegins.size();
  // A report begins so too, with the time it was made, which is a text.
  return message.size() > next && message.starts_with(kBegins) && message[next] >= '0' &&
         message[next] <= '9';
}

std::string Part::document() const {
  Json json = {{"whole", whole}, {"sha256", sha256}, {"part", part}, {"parts", parts},
               {"at", at},       {"bytes", bytes},   {"text", text}};
  if (first > 0) json["first"] = first;
  return json.dump();
}

Result<Part> Part::parse(std::string_view message) {
  const auto json = TRY(parse_json(message, "the part"));
  Fields f{json, "part"};
  Part part;
  const auto number = [&](std::string_view key, std::int64_t low, std::int64_t high) {
    return static_cast<std::size_t>(f.integer(key, low, high));
  };
  part.whole = f.text("whole");
  part.sha256 = f.text("sha256");
  part.part = number("part", 1, kMostNumber);
  part.parts = number("parts", 1, kMostNumber);
  part.at = number("at", 0, kMostWhole);
  part.bytes = number("bytes", 1, kMostWhole);
  part.text = f.text("text");
  part.first = static_cast<std::uint64_t>(f.integer("first", 1, kMostNumber, 0));
  if (part.part > part.parts) f.refuse("part", "is more than there are");
  if (part.at + part.text.size() > part.bytes) f.refuse("text", "goes beyond the end of the whole");
  TRY(f.finish());
  return part;
}

Result<std::vector<Part>> split(std::string_view whole, std::string_view name, std::size_t room) {
  if (whole.size() > kMostWhole)
    return fail(Errc::too_large, std::string{name} + " is " + std::to_string(whole.size()) +
                                     " bytes, at most " + std::to_string(kMostWhole) + " go over the bus");
  Part next{std::string{name}, sha256_hex(whole), 1, 0, 0, whole.size(), {}, 0};
  const auto frame = next.document().size() + kDigits;
  constexpr std::size_t kLongestCharacter = 6;
  if (room < frame + kLongestCharacter)
    return fail(Errc::too_large, "the broker takes " + std::to_string(room) + " bytes: not even a part of " +
                                     std::string{name} + " has room");
  std::vector<Part> parts;
  while (next.at < whole.size()) {
    const auto end = end_of(whole, next.at, room - frame);
    if (end == next.at) return fail(Errc::bad_request, std::string{name} + " is not UTF-8 text");
    next.text = whole.substr(next.at, end - next.at);
    parts.push_back(next);
    next.at = end;
    ++next.part;
  }
  for (auto& part : parts) part.parts = parts.size();
  return parts;
}

Status Joining::take(const Part& part) {
  if (!is_of(part))
    return fail(Errc::conflict, wrong(part) + " is of another document than the parts before it");
  if (part.at > text_.size())
    return fail(Errc::conflict, wrong(part) + " begins at byte " + std::to_string(part.at) + ", and only " +
                                    std::to_string(text_.size()) + " are here: a part before it is lost");
  const auto known = text_.size() - part.at;
  if (known < part.text.size()) text_.append(part.text, known);
  return {};
}

Result<std::string> Joining::document() && {
  if (!is_whole())
    return fail(Errc::conflict, whole_ + " has " + std::to_string(bytes_) + " bytes, and only " +
                                    std::to_string(text_.size()) + " are here");
  if (sha256_hex(text_) != sha256_)
    return fail(Errc::conflict, "the parts of " + whole_ + " are not what was sent");
  return std::move(text_);
}

}  // namespace berth
