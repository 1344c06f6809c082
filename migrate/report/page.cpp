// The report as one page of HTML: style, charts and the JSON itself stand inside it.
#include "base/json.h"
#include "migrate/migrate.h"
#include "migrate/report/markup.h"
#include "migrate/report/sections.h"

namespace berth::migrate {

using namespace report_detail;  // NOLINT: this file puts its parts together

namespace {

// What is folded away on the screen is on paper too.
constexpr auto kScript =
    "<script>addEventListener('beforeprint', () => document.querySelectorAll('details').forEach(d => d.open = "
    "true));</script>\n";

}  // namespace

std::string report_page(const Json& report) {
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Migration of " +
                     escaped(report["fleet"].get<std::string>()) + "</title>\n<style>" + kStyle +
                     "</style></head>\n<body>\n" + overview_section(report) + runs_section(report);
  for (const auto& machine : report["machines"]) page += machine_section(machine);
  page += "<footer>Made " + instant(report["made_at"]) + " by " + escaped(report["made_by"].get<std::string>()) +
          " from the operator\u2019s store. The same as JSON stands at the end of this file.</footer>\n";
  return page + kScript + "<script type=\"application/json\" id=\"report\">" + inside_script(report) +
         "</script>\n</body></html>\n";
}

}  // namespace berth::migrate
