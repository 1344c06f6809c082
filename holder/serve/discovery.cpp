#include "holder/serve/discovery.h"

#include <algorithm>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "bus/subjects.h"

namespace berth::holder::serve {
namespace {

/// The protocol wants three numbers; a version of ours may say more or less.
std::string three_numbers(const std::string& version) {
  std::string text = version.substr(0, version.find_first_not_of("0123456789."));
  while (!text.empty() && text.back() == '.') text.pop_back();
  for (auto dots = std::count(text.begin(), text.end(), '.'); dots < 2; ++dots) text += text.empty() ? "0.0" : ".0";
  return text;
}

Json endpoint_info(const std::string& subject, const IssuedVerb& issued) {
  return {{"name", issued.verb},
          {"subject", subject},
          {"queue_group", ""},
          {"metadata", {{"class", verbs::to_text(issued.verb_class)}}}};
}

Json endpoint_stats(const std::string& subject, const IssuedVerb& issued,
                    const std::map<verbs::Tally::Key, verbs::Tally::Verb>& tally) {
  const auto* row = verbs::find_verb(issued.verb);
  const auto at = tally.find({verbs::Face::bus, row == nullptr ? issued.verb : std::string{row->name}});
  const auto counted = at == tally.end() ? verbs::Tally::Verb{} : at->second;
  const auto requests = counted.requests();
  return {{"name", issued.verb},
          {"subject", subject},
          {"queue_group", ""},
          {"num_requests", requests},
          {"num_errors", counted.errors()},
          {"last_error", counted.last_error},
          {"processing_time", counted.took.count()},
          {"average_processing_time", requests == 0 ? 0 : counted.took.count() / requests}};
}

}  // namespace

Discovery::Discovery(bus::Bus& bus, const verbs::Dispatcher& dispatcher)
    : bus_(bus),
      dispatcher_(dispatcher),
      id_(dispatcher.facts().machine + "-" + random_hex(6)),
      started_(to_rfc3339(system_clock().now())) {
  for (const auto* what : {"PING", "INFO", "STATS"}) listen(what);
}

void Discovery::listen(const std::string& what) {
  const auto base = "$SRV." + what;
  const auto named = base + "." + std::string{bus::kSeat};
  for (const auto& subject : {base, named, named + "." + id_}) {
    auto made = bus_.subscribe(subject, [this, what](const bus::Message& request) { answer(what, request); });
    if (made)
      subscriptions_.push_back(std::move(made).value());
    else
      log::warn("service discovery is not answered", {{"subject", subject}, {"why", to_text(made.error())}});
  }
}

void Discovery::set_verbs(const std::map<std::string, IssuedVerb>& verbs) {
  verbs_.with([&](auto& current) { current = verbs; });
}

void Discovery::answer(const std::string& what, const bus::Message& request) {
  const auto verbs = verbs_.with([](const auto& current) { return current; });
  if (verbs.empty() || !request.reply.starts_with("_INBOX.")) return;
  const bus::Message reply{.subject = request.reply,
                           .reply = {},
                           .headers = {},
                           .data = document(what, verbs).dump(-1, ' ', false, Json::error_handler_t::replace)};
  if (const auto sent = bus_.publish(reply); !sent)
    log::warn("a reply could not be sent", {{"subject", request.subject}, {"why", to_text(sent.error())}});
}

Json Discovery::document(const std::string& what, const std::map<std::string, IssuedVerb>& verbs) const {
  const auto& facts = dispatcher_.facts();
  Json answer = {{"name", bus::kSeat},
                 {"id", id_},
                 {"version", three_numbers(facts.version)},
                 {"metadata", {{"machine", facts.machine}}}};
  if (what == "PING") {
    answer["type"] = "io.nats.micro.v1.ping_response";
    return answer;
  }
  answer["type"] = what == "INFO" ? "io.nats.micro.v1.info_response" : "io.nats.micro.v1.stats_response";
  if (what == "INFO") answer["description"] = "the container runtime of " + facts.machine;
  if (what == "STATS") answer["started"] = started_;
  const auto tally = dispatcher_.tally().verbs();
  answer["endpoints"] = Json::array();
  for (const auto& [subject, issued] : verbs) {
    answer["endpoints"].push_back(what == "INFO" ? endpoint_info(subject, issued)
                                                 : endpoint_stats(subject, issued, tally));
  }
  return answer;
}

}  // namespace berth::holder::serve
