#include "host/apply/preview.h"

#include "base/hash.h"
#include "host/apply/accept.h"
#include "host/apply/engine_step.h"
#include "host/apply/expect.h"
#include "host/apply/seat.h"

namespace berth::host::apply {

Result<Json> preview(const Json& body, store::Store& store, const Site& site) {
  const auto push = TRY(parse_push(body, site.types));
  TRY(judge(push, store, site));
  auto opened = TRY(path::open_path(site.linked, TRY(is_latched(store)), site.holder_socket(), site.seam));
  const Records records(store, site.config.machine);
  auto plan = TRY(plan_of_push(push, records, site.types));
  auto world = site.world(opened.silent ? nullptr : opened.path.get());
  TRY(check_expect(plan.expect, world));
  Run run(store, site, opened, std::move(plan));
  const auto edit = TRY(EngineStep(run).plan());
  const auto text = edit.final;
  return Json{{"push_id", push.push_id},
              {"file",
               {{"path", site.config.engine_file},
                {"exists", text.has_value()},
                {"text", text ? Json(*text) : Json{}},
                {"sha256", sha256_hex(text.value_or(""))}}},
              {"waiting", edit.waiting}};
}

}  // namespace berth::host::apply
