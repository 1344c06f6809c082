#include "cli/intake.h"

#include <charconv>

#include "bus/whole.h"
#include "store/ingest.h"

namespace berth::cli {
namespace {

constexpr std::size_t kBatch = 500;
constexpr int kBatches = 10'000;

std::string place_key(std::string_view stream) { return "intake." + std::string{stream}; }

Result<std::uint64_t> place_of(store::Store& store, std::string_view stream) {
  const auto text = TRY(store.setting(place_key(stream))).value_or("0");
  std::uint64_t place = 0;
  std::from_chars(text.data(), text.data() + text.size(), place);
  return place;
}

/// Where to read on: from the beginning when the stream's end is below what was read already.
Result<std::uint64_t> next_place(bus::Bus& bus, store::Store& store, std::string_view stream) {
  const auto place = TRY(place_of(store, stream));
  if (place == 0) return std::uint64_t{1};
  const auto last = TRY(bus.last_message(stream, ">"));
  return last && last->sequence < place ? 1 : place + 1;
}

void count(Taken& taken, const Result<store::Ingested>& ingested, const std::function<void(const Error&)>& refused) {
  if (!ingested) {
    ++taken.refused;
    refused(ingested.error());
  } else {
    ++(*ingested == store::Ingested::fresh ? taken.fresh : taken.known);
  }
}

/// Whether the store itself failed, as opposed to a message being wrong.
bool is_ours(const Error& error) { return error.code == Errc::failed || error.code == Errc::busy; }

}  // namespace

Result<Taken> take_in(bus::Bus& bus, store::Store& store, std::string_view stream, std::chrono::milliseconds wait,
                      const std::function<void(const Error&)>& refused) {
  Taken taken;
  auto next = TRY(next_place(bus, store, stream));
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto messages = TRY(bus::read_wholes(bus, stream, ">", next, kBatch, wait));
    if (messages.empty()) break;
    for (const auto& [sequence, message] : messages) {
      const auto ingested = store::ingest_message(store, message.subject, message.data);
      if (!ingested && is_ours(ingested.error())) return ingested.error();
      count(taken, ingested, refused);
      next = sequence + 1;
    }
    TRY(store.set_setting(place_key(stream), std::to_string(next - 1)));
    wait = std::chrono::milliseconds{50};  // only the first batch is waited for
  }
  return taken;
}

}  // namespace berth::cli
