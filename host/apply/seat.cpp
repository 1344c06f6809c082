#include "host/apply/seat.h"

#include "base/error.h"
#include "base/file.h"
#include "holder/client/client.h"
#include "host/records/pushes.h"

namespace berth::host::apply {
namespace {

constexpr std::string_view kSeatSetting = "seat";
constexpr std::string_view kLatchSetting = "holder_latched";
constexpr auto kHolderUnit = "berth-holder.service";

std::string text_at(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

/// Why a unit is not serving, in the service manager's words.
std::string unit_words(const Site& site) {
  const auto state = site.units.state(kHolderUnit);
  if (!state) return std::string{kHolderUnit} + ": " + state.error().detail;
  if (!state->exists()) return std::string{kHolderUnit} + " is not on this machine";
  return std::string{kHolderUnit} + " is " + state->active + " (" + state->sub + "), last exit " +
         state->result + " " + std::to_string(state->exit_status) + ", restarts " +
         std::to_string(state->restarts);
}

}  // namespace

Result<Json> stored_seat(store::Store& store) { return document_setting(store, kSeatSetting); }

bool is_held_here(const Json& seat, const Config& config) {
  return seat.is_object() && seat.value("held", Json(false)) == Json(true) &&
         text_at(seat, "machine") == config.machine;
}

Status keep_seat(store::Store& store, const Site& site, const Json& seat) {
  TRY(set_document_setting(store, kSeatSetting, seat));
  TRY(latch_if_held(store, site));
  return {};
}

Result<bool> latch_if_held(store::Store& store, const Site& site) {
  if (TRY(is_latched(store))) return true;
  if (site.linked.holder == nullptr || !is_held_here(TRY(stored_seat(store)), site.config)) return false;
  TRY(store.set_setting(kLatchSetting, "1"));
  return true;
}

Result<bool> is_latched(store::Store& store) { return TRY(store.setting(kLatchSetting)).has_value(); }

Status clear_latch(store::Store& store) { return drop_setting(store, kLatchSetting); }

Status write_seat_file(store::Store& store, const Site& site) {
  const auto seat = TRY(stored_seat(store));
  const std::filesystem::path path = site.root + site.config.seat_file.native();
  if (!is_held_here(seat, site.config)) return remove_file(path, site.seam);
  const auto text = seat.dump(2) + "\n";
  if (const auto there = read_file(path); there && *there == text) {
    drop_unfinished(path);
    return {};
  }
  // No secret is in it, and the holder reads it under its own account.
  return write_file(path, text, 0644, site.seam);
}

HolderView look_at_holder(const Site& site) {
  HolderView view;
  auto seat = holder::client::HolderClient{site.holder_socket()}.seat();
  if (seat) {
    view.answering = true;
    view.seat = std::move(seat).value();
  } else {
    view.cause = seat.error().detail + "; " + unit_words(site);
  }
  return view;
}

Json seat_report(const HolderView& view, const Json& stored, const Config& config) {
  const auto module = text_at(stored, "module");
  const bool names_us =
      text_at(view.seat, "seat") == kSeat && text_at(view.seat, "module") == module && !module.empty();
  std::string cause = view.cause;
  if (view.answering && !names_us) {
    cause = "the holder names seat \"" + text_at(view.seat, "seat") + "\" and module \"" +
            text_at(view.seat, "module") + "\"";
  }
  const auto engine = view.seat.is_object() ? view.seat.value("engine", Json::object()) : Json::object();
  return {{"name", kSeat},
          {"held", is_held_here(stored, config)},
          {"module", module.empty() ? Json{} : Json(module)},
          {"answering", view.answering && names_us},
          {"socket", text_at(engine, "socket")},
          {"cause", cause}};
}

}  // namespace berth::host::apply
