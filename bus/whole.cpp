#include "bus/whole.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parts.h"

namespace berth::bus {
namespace {

/// A message's headers count too: the message id, the expected sequence and their names.
constexpr std::size_t kHeaders = 512;
constexpr std::size_t kLeast = 64;
/// How often a question is sent from its first part on, after a host that has lost those before.
constexpr int kTries = 3;

std::string id_of(const Part& part) {
  return part.whole + "/" + std::to_string(part.at) + "-" + std::to_string(part.at + part.text.size());
}

/// The parts of one whole that a stream keeps from the first to `last`.
Result<std::string> joined(Bus& bus, std::string_view stream, const StreamMessage& last, const Part& part) {
  Joining joining{part};
  auto next = part.first;
  while (next > 0 && next < last.sequence) {
    const auto page =
        TRY(bus.read_stream(stream, last.message.subject, next, 64, std::chrono::milliseconds{0}));
    if (page.empty()) break;
    for (const auto& message : page) {
      next = message.sequence + 1;
      if (message.sequence >= last.sequence || !is_part(message.message.data)) continue;
      const auto one = Part::parse(message.message.data);
      if (one && joining.is_of(*one)) TRY(joining.take(*one));
    }
  }
  TRY(joining.take(part));
  return std::move(joining).document();
}

/// Whether a message of a stream is to be read, with what came in parts put together.
Result<bool> make_whole(Bus& bus, std::string_view stream, StreamMessage& message) {
  if (!is_part(message.message.data)) return true;
  const auto part = Part::parse(message.message.data);
  if (part && !part->is_last()) return false;
  auto whole = part ? joined(bus, stream, message, *part) : Result<std::string>{part.error()};
  if (!whole && whole.error().code != Errc::conflict && whole.error().code != Errc::bad_request)
    return whole.error();
  if (whole) message.message.data = std::move(*whole);
  if (!whole)
    log::warn("a document in parts cannot be put together", {{"stream", std::string{stream}},
                                                             {"sequence", std::to_string(message.sequence)},
                                                             {"cause", whole.error().detail}});
  return true;
}

/// Whether a reply says that the part was taken and more are awaited.
bool wants_more(const Json& reply) {
  return reply.is_object() && reply.contains("have") && reply.contains("whole");
}

bool has_lost_parts(const Json& reply) {
  return reply.is_object() && reply.value("code", Json{}) == "conflict" &&
         reply.value("field", Json{}) == "part";
}

/// Every part of one question. The last one's reply, or what the host said against a part.
Result<std::optional<Message>> send_parts(Bus& bus, std::string_view subject, const std::vector<Part>& parts,
                                          std::chrono::milliseconds limit) {
  for (const auto& part : parts) {
    auto reply = TRY(bus.request(subject, part.document(), limit));
    if (&part == &parts.back() && is_part(reply.data)) return std::optional{std::move(reply)};
    const auto said = TRY(parse_json(reply.data, "the answer to a part"));
    if (has_lost_parts(said)) return std::optional<Message>{};
    if (&part == &parts.back() || !wants_more(said)) return std::optional{std::move(reply)};
  }
  return std::optional<Message>{};
}

Result<Message> ask_in_parts(Bus& bus, std::string_view subject, const std::string& data,
                             std::chrono::milliseconds limit) {
  const auto parts = TRY(split(data, random_hex(8), room_in(bus)));
  for (int i = 0; i < kTries; ++i) {
    if (auto reply = TRY(send_parts(bus, subject, parts, limit))) return std::move(*reply);
  }
  return fail(Errc::unreachable, "parts sent to " + std::string{subject} + " are lost there again and again");
}

/// An answer's other parts are asked for one by one.
Result<Message> collect(Bus& bus, std::string_view subject, Message first, std::chrono::milliseconds limit) {
  const auto begun = TRY(Part::parse(first.data));
  Joining joining{begun};
  TRY(joining.take(begun));
  for (auto number = begun.part + 1; !joining.is_whole(); ++number) {
    const Json more = {{"what", "part"}, {"whole", begun.whole}, {"part", number}};
    auto reply = TRY(bus.request(subject, more.dump(), limit));
    if (!is_part(reply.data)) return reply;  // a problem: the host has given it up
    TRY(joining.take(TRY(Part::parse(reply.data))));
    if (number >= begun.parts && !joining.is_whole())
      return fail(Errc::conflict,
                  "the parts of an answer from " + std::string{subject} + " are not the whole");
  }
  first.data = TRY(std::move(joining).document());
  return first;
}

}  // namespace

std::size_t room_in(const Bus& bus) {
  const auto most = bus.max_payload();
  return most > kHeaders + kLeast ? most - kHeaders : kLeast;
}

Status publish_whole(Bus& bus, const std::string& subject, const std::string& id, const std::string& data) {
  if (data.size() <= room_in(bus)) {
    TRY(bus.publish_durable(subject, id, data));
    return {};
  }
  std::uint64_t first = 0;
  for (auto& part : TRY(split(data, id, room_in(bus)))) {
    part.first = first;
    const auto kept = TRY(bus.publish_durable(subject, id_of(part), part.document()));
    if (first == 0) first = kept;
  }
  return {};
}

Result<std::vector<StreamMessage>> read_wholes(Bus& bus, std::string_view stream,
                                               std::string_view subject_filter, std::uint64_t first_sequence,
                                               std::size_t limit, std::chrono::milliseconds wait) {
  std::vector<StreamMessage> wholes;
  while (wholes.empty()) {
    auto page = TRY(bus.read_stream(stream, subject_filter, first_sequence, limit, wait));
    if (page.empty()) break;
    first_sequence = page.back().sequence + 1;
    for (auto& message : page)
      if (TRY(make_whole(bus, stream, message))) wholes.push_back(std::move(message));
    wait = std::chrono::milliseconds{0};
  }
  return wholes;
}

Result<Message> request_whole(Bus& bus, std::string_view subject, const std::string& data,
                              std::chrono::milliseconds limit) {
  auto reply = data.size() <= bus.max_payload() ? TRY(bus.request(subject, data, limit))
                                                : TRY(ask_in_parts(bus, subject, data, limit));
  if (!is_part(reply.data)) return reply;
  return collect(bus, subject, std::move(reply), limit);
}

}  // namespace berth::bus
