#include "holder/serve/bus_face.h"

#include "base/error.h"
#include "base/fields.h"
#include "base/json.h"
#include "base/log.h"
#include "bus/subjects.h"

namespace berth::holder::serve {
namespace {

constexpr int kMaxRequestDepth = 8;
constexpr std::size_t kHeaderRoom = 1024;  // of a message's bytes, for its headers and subject

const Json& no_params() {
  static const Json kNone = Json::object();
  return kNone;
}

verbs::Call call_of(const std::string& verb, const std::string& caller, const Json& params,
                    std::size_t room) {
  return {.face = verbs::Face::bus, .caller = caller, .verb = verb, .params = params, .max_reply = room};
}

std::string text_of_reply(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A header's value is one line.
std::string one_line(std::string text) {
  for (auto& c : text) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return text.substr(0, 512);
}

bus::Message error_reply(const std::string& to, const Error& error) {
  const auto& row = error_row(error.code);
  return {.subject = to,
          .reply = {},
          .headers = {{"Nats-Service-Error-Code", std::to_string(row.status)},
                      {"Nats-Service-Error", one_line(to_text(error))}},
          .data = text_of_reply(to_problem(error))};
}

}  // namespace

BusFace::BusFace(Options options, bus::Bus& bus, verbs::Dispatcher& dispatcher)
    : options_(options),
      bus_(bus),
      dispatcher_(dispatcher),
      pool_({.most = options.workers, .waiting = options.waiting}),
      discovery_(bus, dispatcher) {}

BusFace::~BusFace() { held_.clear(); }

bool BusFace::set_seat(const SeatFile& seat) {
  const auto wanted = seat.held ? seat.verbs : std::map<std::string, IssuedVerb>{};
  std::erase_if(held_, [&](const auto& held) {
    const auto still = wanted.find(held.first);
    return still == wanted.end() || still->second != held.second.issued;
  });
  for (const auto& [subject, issued] : wanted) {
    if (held_.contains(subject)) continue;
    auto made = bus_.subscribe(subject,
                               [this, issued](bus::Message message) { receive(issued, std::move(message)); });
    if (made) {
      held_.emplace(subject, Held{issued, std::move(made).value()});
      continue;
    }
    if (missing_.insert(subject).second)
      log::error("an issued subject could not be subscribed: trying again",
                 {{"subject", subject}, {"why", to_text(made.error())}});
  }
  std::erase_if(missing_, [&](const std::string& subject) { return held_.contains(subject) || !wanted.contains(subject); });
  discovery_.set_verbs(wanted);
  return missing_.empty();
}

/// On the library's thread: enough is looked at to know whom to answer, and the rest is the pool's.
void BusFace::receive(const IssuedVerb& issued, bus::Message message) {
  auto work = std::make_shared<bus::Message>(std::move(message));
  if (pool_.offer([this, issued, work] {
        const auto caller = bus::caller_of(work->subject);
        if (!caller) {
          dispatcher_.refuse(call_of(issued.verb, "?", no_params(), room()), caller.error());
          return;  // nobody that could be answered
        }
        serve(issued, caller->text(), *work);
      })) {
    return;
  }
  dispatcher_.turned_away(verbs::Face::bus);
  const auto caller = bus::caller_of(work->subject);
  if (!caller || !bus::replies_to_caller(work->reply, *caller)) return;
  reply(*work, fail(Errc::busy, "the holder has as many calls as it takes: ask again"));
}

void BusFace::serve(const IssuedVerb& issued, const std::string& caller, const bus::Message& message) {
  const auto name = CallerName::parse(caller);
  if (!name || !bus::replies_to_caller(message.reply, *name)) {
    const auto why = message.reply.empty() ? std::string{"the request names no reply subject"}
                                           : "the reply subject " + message.reply.substr(0, 128) +
                                                 " is not in the caller's inbox";
    dispatcher_.refuse(call_of(issued.verb, caller, no_params(), room()),
                       fail_field(Errc::bad_request, "reply", why + ": dropped"));
    return;
  }
  reply(message, answer(issued, caller, message));
}

Result<Json> BusFace::answer(const IssuedVerb& issued, const std::string& caller,
                             const bus::Message& message) {
  const auto refused = [&](Error error) {
    return dispatcher_.refuse(call_of(issued.verb, caller, no_params(), room()), std::move(error));
  };
  if (message.data.size() > options_.most_body) {
    return refused(
        fail(Errc::too_large, "the request is larger than " + std::to_string(options_.most_body) + " bytes"));
  }
  const auto* row = verbs::find_verb(issued.verb);
  if (row != nullptr && row->verb_class != issued.verb_class) {
    return refused(fail(Errc::not_granted, issued.verb + " is of class " +
                                               std::string{verbs::to_text(row->verb_class)} +
                                               " and was asked for on another class's subject"));
  }
  const auto params = message.data.empty() ? Result<Json>{no_params()}
                                           : parse_json(message.data, "the request", kMaxRequestDepth);
  if (!params) return refused(params.error());
  return dispatcher_.dispatch(call_of(issued.verb, caller, *params, room()));
}

/// What of the server's bound is left for JSON.
std::size_t BusFace::room() const {
  const auto most = bus_.max_payload();
  return most > 2 * kHeaderRoom ? most - kHeaderRoom : kHeaderRoom;
}

void BusFace::reply(const bus::Message& request, const Result<Json>& answer) {
  auto message =
      answer
          ? bus::Message{.subject = request.reply, .reply = {}, .headers = {}, .data = text_of_reply(*answer)}
          : error_reply(request.reply, answer.error());
  if (message.data.size() > room()) {
    const auto bound = std::to_string(room());
    message = error_reply(request.reply, fail(Errc::too_large, "the answer is larger than the bus carries, " +
                                                                   bound + " bytes: ask for less of it"));
  }
  // An answer that cannot be sent is the caller's timeout: there is nobody else to tell.
  if (const auto sent = bus_.publish(message); !sent) {
    log::warn("a reply could not be sent", {{"subject", request.subject}, {"why", to_text(sent.error())}});
  }
}

}  // namespace berth::holder::serve
