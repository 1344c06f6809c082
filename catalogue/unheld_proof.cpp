#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "catalogue/compose.h"
#include "catalogue/containers.h"
#include "catalogue/holds.h"
#include "catalogue/view.h"

namespace berth::catalogue {
namespace {

using Text = std::string_view;

/// Composes a machine's push now that nobody holds its seat. Where no assignment of it delivers a container
/// the same rule is asked about one that would.
Status composed_unheld(store::Store& store, Text machine) {
  TRY(compose(store, {.machine = std::string{machine}}, {}));
  const auto view = TRY(view_of(store, machine));
  const Json container = {{"id", "probe"}, {"type", "container"}, {"spec", {{"name", "probe"}}}};
  const Json would_be = {{"name", "probe"},
                         {"assignment", "probe"},
                         {"claims", Json::array()},
                         {"resources", Json::array({container})}};
  return check_containers(Json::array({would_be}), view.seat, view.machine.name);
}

}  // namespace

Result<Json> unheld_proof(store::Store& store, Text machine, Text seat) {
  std::optional<Status> composed;
  const auto rolled_back = store.transaction([&]() -> Status {
    TRY(drop_hold(store, machine, seat));
    composed = composed_unheld(store, machine);
    return fail(Errc::failed, "so that the transaction is rolled back: a proof changes nothing");
  });
  if (!composed) return rolled_back.error();
  if (composed->ok()) {
    return fail(Errc::failed, std::string{machine} + ": composing with the seat " + std::string{seat} +
                                  " unheld was not refused");
  }
  const auto& error = composed->error();
  return error.code == Errc::seat_unheld ? Result<Json>{to_problem(error)} : Result<Json>{error};
}

}  // namespace berth::catalogue
