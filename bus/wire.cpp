#include "bus/wire.h"

#include <algorithm>

namespace berth::bus {
namespace {

Errc code_of(natsStatus status) {
  switch (status) {
    case NATS_TIMEOUT:
      return Errc::timeout;
    case NATS_MAX_PAYLOAD:
      return Errc::too_large;
    case NATS_NOT_PERMITTED:
      return Errc::not_granted;
    case NATS_NOT_FOUND:
      return Errc::not_found;
    case NATS_SLOW_CONSUMER:
    case NATS_INSUFFICIENT_BUFFER:
      return Errc::busy;
    case NATS_INVALID_SUBJECT:
    case NATS_INVALID_ARG:
      return Errc::bad_request;
    case NATS_NO_SERVER:
    case NATS_NO_RESPONDERS:
    case NATS_CONNECTION_CLOSED:
    case NATS_CONNECTION_DISCONNECTED:
    case NATS_CONNECTION_AUTH_FAILED:
    case NATS_STALE_CONNECTION:
    case NATS_IO_ERROR:
      return Errc::unreachable;
    default:
      return Errc::failed;
  }
}

bool is_token_character(char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; }

bool is_token(std::string_view token, bool last, bool wildcards) {
  if (token.empty() || !std::ranges::all_of(token, is_token_character)) return false;
  const bool wild = token.find_first_of("*>") != std::string_view::npos;
  if (!wild) return true;
  return wildcards && (token == "*" || (token == ">" && last));
}

void copy_headers(natsMsg* from, Message& to) {
  const char** keys = nullptr;
  int key_count = 0;
  if (natsMsgHeader_Keys(from, &keys, &key_count) != NATS_OK) return;
  for (int k = 0; k < key_count; ++k) {
    const char** values = nullptr;
    int value_count = 0;
    if (natsMsgHeader_Values(from, keys[k], &values, &value_count) != NATS_OK) continue;
    for (int v = 0; v < value_count; ++v) to.headers.emplace(keys[k], values[v]);
    free(static_cast<void*>(values));
  }
  free(static_cast<void*>(keys));
}

}  // namespace

Error to_error(natsStatus status, std::string_view doing) {
  // The thread's last error says more than the status: which file, which log-in.
  natsStatus last = NATS_OK;
  const char* more = nats_GetLastError(&last);
  std::string why = natsStatus_GetText(status);
  if (last == status && more != nullptr && *more != '\0' && why != more)
    why += " (" + std::string{more} + ")";
  return fail(code_of(status), std::string{doing} + ": " + why);
}

Status check_subject(std::string_view subject, bool wildcards) {
  const auto refuse = [&] {
    return fail_field(Errc::bad_request, "subject", "\"" + std::string{subject} + "\" is not a subject");
  };
  if (subject.empty()) return refuse();
  for (std::size_t from = 0; from <= subject.size();) {
    const auto dot = std::min(subject.find('.', from), subject.size());
    if (!is_token(subject.substr(from, dot - from), dot == subject.size(), wildcards)) return refuse();
    from = dot + 1;
  }
  return {};
}

Result<NatsMsg> to_nats(const Message& message, const std::string& reply) {
  if (message.data.size() > std::size_t{64} << 20) {
    return fail(Errc::too_large,
                "a message of " + std::to_string(message.data.size()) + " bytes to " + message.subject);
  }
  natsMsg* made = nullptr;
  const auto status = natsMsg_Create(&made, message.subject.c_str(), reply.empty() ? nullptr : reply.c_str(),
                                     message.data.data(), static_cast<int>(message.data.size()));
  NatsMsg owned{made};
  if (status != NATS_OK) return to_error(status, "make a message to " + message.subject);
  for (const auto& [key, value] : message.headers) {
    const auto added = natsMsgHeader_Add(owned.get(), key.c_str(), value.c_str());
    if (added != NATS_OK) return to_error(added, "add the header " + key);
  }
  return owned;
}

Message from_nats(natsMsg* message) {
  Message copy;
  copy.subject = natsMsg_GetSubject(message);
  if (const char* reply = natsMsg_GetReply(message)) copy.reply = reply;
  copy.data.assign(natsMsg_GetData(message), static_cast<std::size_t>(natsMsg_GetDataLength(message)));
  copy_headers(message, copy);
  return copy;
}

}  // namespace berth::bus
