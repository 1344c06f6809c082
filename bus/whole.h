#pragma once
#include "bus/bus.h"

namespace berth::bus {

// Documents of any size up to kMostWhole over a broker that takes less in one message: in numbered parts, all
// of them or nothing (base/parts.h; docs/formats.md, "Parts"). What fits goes as it is.

/// The bytes of a document that one message has room for.
std::size_t room_in(const Bus& bus);

/// publish_durable, in parts where it must be: each has a message id of its own, <id>/<from>-<to>, so that
/// one sent twice is dropped by the stream whatever the broker took when it was sent first.
Status publish_whole(Bus& bus, const std::string& subject, const std::string& id, const std::string& data);

/// read_stream, of whole documents: what came in parts stands at the sequence of its last one, and is not
/// there before that has come. One whose other parts are lost is given as that part alone: no reader takes it
/// for a document.
Result<std::vector<StreamMessage>> read_wholes(Bus& bus, std::string_view stream,
                                               std::string_view subject_filter, std::uint64_t first_sequence,
                                               std::size_t limit, std::chrono::milliseconds wait);

/// request, whose question and answer may each be in parts; `limit` is for each message.
Result<Message> request_whole(Bus& bus, std::string_view subject, const std::string& data,
                              std::chrono::milliseconds limit);

}  // namespace berth::bus
