// The JetStream half of the bus.
#include <algorithm>
#include <set>

#include "base/fields.h"
#include "base/json.h"
#include "bus/nats_bus.h"
#include "bus/wire.h"

namespace berth::bus {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

using StreamInfo = CPtr<jsStreamInfo, jsStreamInfo_Destroy>;

constexpr milliseconds kPublishLimit{5000};
constexpr milliseconds kPoll{50};
/// Of one read: a page of the largest messages must not be a thousand of them.
constexpr std::size_t kMostRead = std::size_t{16} << 20;

struct Found {
  natsStatus status;
  StreamInfo info;
};

Found stream_info(Live& live, const std::string& name) {
  jsStreamInfo* info = nullptr;
  jsErrCode code{};
  const auto status = js_GetStreamInfo(&info, live.jet_stream(), name.c_str(), nullptr, &code);
  return {status, StreamInfo{info}};
}

/// Subjects the stream has already and those it should have, once each.
std::vector<std::string> joined(const jsStreamConfig& has, const std::vector<std::string>& wanted) {
  std::vector<std::string> all(has.Subjects, has.Subjects + has.SubjectsLen);
  for (const auto& subject : wanted) {
    if (std::ranges::find(all, subject) == all.end()) all.push_back(subject);
  }
  return all;
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> list;
  for (const auto& text : texts) list.push_back(text.c_str());
  return list;
}

void set_subjects(jsStreamConfig& config, std::vector<const char*>& subjects) {
  config.Subjects = subjects.data();
  config.SubjectsLen = static_cast<int>(subjects.size());
}

Status add_stream(Live& live, const StreamConfig& wanted) {
  jsStreamConfig config;
  jsStreamConfig_Init(&config);
  auto subjects = pointers(wanted.subjects);
  config.Name = wanted.name.c_str();
  set_subjects(config, subjects);
  config.Storage = js_FileStorage;
  config.MaxBytes = wanted.max_bytes;
  config.Duplicates = std::chrono::nanoseconds{wanted.duplicate_window}.count();
  config.AllowDirect = true;
  jsErrCode code{};
  const auto status = js_AddStream(nullptr, live.jet_stream(), &config, nullptr, &code);
  if (status == NATS_OK) return {};
  return to_error(status, "make the stream " + wanted.name);
}

Status widen_stream(Live& live, const StreamConfig& wanted, jsStreamConfig config) {
  const auto all = joined(config, wanted.subjects);
  const auto window = std::chrono::nanoseconds{wanted.duplicate_window}.count();
  if (static_cast<int>(all.size()) == config.SubjectsLen && config.AllowDirect && config.Duplicates == window)
    return {};
  auto subjects = pointers(all);
  set_subjects(config, subjects);
  config.AllowDirect = true;
  config.Duplicates = window;
  jsErrCode code{};
  const auto status = js_UpdateStream(nullptr, live.jet_stream(), &config, nullptr, &code);
  if (status == NATS_OK) return {};
  return to_error(status, "widen the stream " + wanted.name);
}

/// The stream's answer to a publish: {"stream", "seq", "duplicate"} or {"error": {"err_code",
/// "description"}}.
Result<std::uint64_t> parse_ack(const std::string& text, const std::string& subject) {
  const auto ack = TRY(parse_json(text, "the stream's acknowledgement of " + subject));
  if (const auto at = ack.find("error"); at != ack.end()) {
    const auto code = at->value("err_code", 0);
    const auto why = at->value("description", std::string{"no reason given"});
    const bool moved_on = code == JSStreamWrongLastSequenceErr;
    return fail(moved_on ? Errc::conflict : Errc::failed, "publish to " + subject + ": " + why);
  }
  if (!ack.is_object() || !ack.contains("seq"))
    return fail(Errc::failed, "publish to " + subject + ": " + text);
  return ack.at("seq").get<std::uint64_t>();
}

Error unseen(Live& live, natsStatus status, const std::string& name, std::uint64_t mark) {
  if (live.watch().take_publish_refusal("$JS.API.STREAM.INFO." + name, mark)) {
    return fail(Errc::not_granted, "the broker does not let this user see the stream " + name);
  }
  return to_error(status, "look for the stream " + name);
}

}  // namespace

Status NatsBus::ensure_stream(const StreamConfig& config) {
  TRY(seam_.before("bus.stream", config.name));
  const auto live = TRY(borrow());
  const auto mark = live->watch().newest();
  const auto found = stream_info(*live, config.name);
  if (found.status == NATS_OK) return widen_stream(*live, config, *found.info->Config);
  if (found.status == NATS_NOT_FOUND) return add_stream(*live, config);
  return unseen(*live, found.status, config.name, mark);
}

/// A read of a stream that is not there would only time out.
Status NatsBus::check_stream(const std::string& name) {
  TRY(seam_.before("bus.read", name));
  const auto live = TRY(borrow());
  const auto mark = live->watch().newest();
  const auto found = stream_info(*live, name);
  if (found.status == NATS_OK) return {};
  if (found.status == NATS_NOT_FOUND) return fail(Errc::not_found, "there is no stream " + name);
  return unseen(*live, found.status, name, mark);
}

Result<std::uint64_t> NatsBus::publish_durable(std::string_view subject, std::string_view message_id,
                                               std::string_view data, std::optional<std::uint64_t> expected) {
  Message message{.subject = std::string{subject}, .reply = {}, .headers = {}, .data = std::string{data}};
  if (!message_id.empty()) message.headers.emplace("Nats-Msg-Id", message_id);
  if (expected) message.headers.emplace("Nats-Expected-Last-Subject-Sequence", std::to_string(*expected));
  auto reply = ask(message, kPublishLimit);
  if (!reply && reply.error().detail.starts_with("nobody listens")) {
    return fail(Errc::unreachable, "no stream keeps " + message.subject);
  }
  if (!reply) return std::move(reply).error();
  return parse_ack(reply->data, message.subject);
}

Result<std::optional<StreamMessage>> NatsBus::get_message(std::string_view stream, std::string_view subject,
                                                          std::uint64_t first_sequence, bool last) {
  const std::string name{stream};
  const std::string filter{subject};
  TRY(check_subject(filter, true));
  const auto live = TRY(borrow());
  jsDirectGetMsgOptions wanted;
  jsDirectGetMsgOptions_Init(&wanted);
  if (last) wanted.LastBySubject = filter.c_str();
  if (!last) wanted.NextBySubject = filter.c_str();
  if (!last) wanted.Sequence = std::max<std::uint64_t>(1, first_sequence);
  const auto mark = live->watch().newest();
  natsMsg* got = nullptr;
  const auto status = js_DirectGetMsg(&got, live->jet_stream(), name.c_str(), nullptr, &wanted);
  const NatsMsg owned{got};
  if (status == NATS_OK) return std::optional{StreamMessage{natsMsg_GetSequence(got), from_nats(got)}};
  if (status == NATS_NOT_FOUND) return std::optional<StreamMessage>{};
  if (live->watch().take_publish_refusal("$JS.API.DIRECT.GET." + name, mark)) {
    return fail(Errc::not_granted, "the broker does not let this user read the stream " + name);
  }
  return to_error(status, "read the stream " + name);
}

Result<std::vector<StreamMessage>> NatsBus::read_stream(std::string_view stream,
                                                        std::string_view subject_filter,
                                                        std::uint64_t first_sequence, std::size_t limit,
                                                        milliseconds wait) {
  TRY(check_stream(std::string{stream}));
  const auto deadline = steady_clock::now() + wait;
  std::vector<StreamMessage> messages;
  std::size_t bytes = 0;
  while (messages.size() < limit && bytes < kMostRead) {
    auto next = TRY(get_message(stream, subject_filter, first_sequence, false));
    if (next) {
      first_sequence = next->sequence + 1;
      bytes += next->message.data.size();
      messages.push_back(std::move(*next));
    } else if (!messages.empty() || steady_clock::now() >= deadline) {
      break;
    } else {
      std::this_thread::sleep_for(
          std::min(kPoll, std::chrono::ceil<milliseconds>(deadline - steady_clock::now())));
    }
  }
  return messages;
}

Result<std::optional<StreamMessage>> NatsBus::last_message(std::string_view stream,
                                                           std::string_view subject) {
  TRY(check_stream(std::string{stream}));
  return get_message(stream, subject, 0, true);
}

}  // namespace berth::bus
