#include "migrate/intake.h"

#include "base/fields.h"
#include "base/log.h"
#include "store/ingest.h"

namespace berth::migrate {
namespace {

Result<std::uint64_t> read_from(store::Store& store, const std::string& cursor) {
  const auto kept = TRY(store.setting(cursor));
  return kept ? std::stoull(*kept) : 1;
}

}  // namespace

Status keep_page(store::Store& store, const std::string& cursor, const std::vector<Kept>& page, Ingest ingest) {
  return store.transaction([&]() -> Status {
    for (const auto& message : page) {
      const auto document = parse_json(message.text, cursor);
      const auto taken = document ? ingest(store, *document) : Result<store::Ingested>{document.error()};
      if (!taken)
        log::warn("a message of a stream was passed over", {{"stream", cursor},
                                                            {"sequence", std::to_string(message.sequence)},
                                                            {"cause", taken.error().detail}});
    }
    return store.set_setting(cursor, std::to_string(page.back().sequence + 1));
  });
}

std::string reports_cursor(std::string_view machine) { return "taken.reports." + std::string{machine}; }
std::string events_cursor(std::string_view machine) { return "taken.events." + std::string{machine}; }

namespace {

template <class Read>
Status take_all(Scene& scene, const std::string& cursor, Read read, Ingest ingest) {
  for (;;) {
    const auto from = TRY(scene.books.with([&](Books& books) { return read_from(books.store, cursor); }));
    const auto page = TRY(read(from));
    if (page.empty()) return {};
    TRY(scene.books.with([&](Books& books) { return keep_page(books.store, cursor, page, ingest); }));
  }
}

}  // namespace

Status take_in(Scene& scene) {
  constexpr std::chrono::milliseconds kNoWait{0};
  for (const auto& machine : scene.fleet.machines) {
    TRY(take_all(
        scene, reports_cursor(machine),
        [&](std::uint64_t from) { return scene.port.reports(machine, from, kNoWait); },
        store::ingest_report));
    TRY(take_all(
        scene, events_cursor(machine),
        [&](std::uint64_t from) { return scene.port.events(machine, from, kNoWait); }, store::ingest_event));
  }
  return {};
}

}  // namespace berth::migrate
