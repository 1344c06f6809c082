#include "migrate/report/chart.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "base/json.h"
#include "migrate/report/markup.h"
#include "migrate/report/scale.h"

namespace berth::migrate::report_detail {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr double kLeft = 132;
constexpr double kWidth = 800;
constexpr double kRow = 22;
constexpr double kTop = 20;

std::string number(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", x);
  return text.data();
}

std::optional<Time> time_of(const Json& stamp) {
  if (!stamp.is_string()) return {};
  const auto parsed = parse_rfc3339(stamp.get_ref<const std::string&>());
  return parsed ? std::optional{*parsed} : std::nullopt;
}

/// From when to when; what has not ended is as long as nothing, and drawn as what has not ended.
std::optional<Span> span_of(const Json& item, const char* from, const char* to) {
  auto began = time_of(item.value(from, Json{}));
  auto ended = time_of(item.value(to, Json{}));
  if (!began) began = ended;
  if (!ended) ended = began;
  if (!began) return {};
  return Span{*began, std::max(*began, *ended)};
}

void collect(const Json& machine, std::vector<Span>& spans) {
  for (const auto& step : machine["steps"]) {
    for (const auto& attempt : step["attempts"]) {
      if (const auto span = span_of(attempt, "began_at", "ended_at")) spans.push_back(*span);
    }
  }
  for (const auto& push : machine["pushes"]) {
    if (const auto span = span_of(push, "sent_at", "ended_at")) spans.push_back(*span);
  }
}

std::string label(double y, const std::string& text) {
  return "<text class=\"row\" x=\"" + number(kLeft - 8) + "\" y=\"" + number(y + kRow / 2 + 4) + "\">" + escaped(text) +
         "</text>";
}

std::string bar(const Scale& scale, const Span& span, double y, const std::string& classes, const std::string& tells) {
  const auto x = scale.x(span.from);
  const auto wide = std::max(4.0, scale.x(span.to) - x);
  return "<rect class=\"bar " + classes + "\" x=\"" + number(x) + "\" y=\"" + number(y + 4) + "\" width=\"" +
         number(wide) + "\" height=\"" + number(kRow - 8) + "\" rx=\"2\"><title>" + escaped(tells) +
         "</title></rect>";
}

std::string attempt_bar(const Scale& scale, const Json& step, const Json& attempt, double y) {
  const auto span = span_of(attempt, "began_at", "ended_at");
  if (!span) return "";
  const auto state = attempt["state"].get<std::string>();
  auto tells = "step " + step["step"].dump() + " " + step["name"].get<std::string>() + ", attempt " +
               attempt["attempt"].dump() + ": " + state + ", " +
               duration(duration_cast<milliseconds>(span->to - span->from));
  if (attempt["error"].is_string()) tells += "\n" + attempt["error"].get<std::string>();
  return bar(scale, *span, y, "step" + step["step"].dump() + " " + state, tells);
}

std::string push_bars(const Scale& scale, const Json& machine, double y) {
  std::string text;
  for (const auto& push : machine["pushes"]) {
    if (const auto span = span_of(push, "sent_at", "ended_at"))
      text += bar(scale, *span, y, "push " + push["state"].get<std::string>(),
                  push["kind"].get<std::string>() + " push, " + push["state"].get<std::string>());
  }
  return text;
}

std::string report_marks(const Scale& scale, const Json& machine, double y) {
  std::string text;
  for (const auto& report : machine["reports"]) {
    const auto at = time_of(report["at"]);
    if (!at) continue;
    text += "<circle class=\"report path-" + report["path"].get<std::string>() + " " +
            report["result"].get<std::string>() + "\" cx=\"" + number(scale.x(*at)) + "\" cy=\"" +
            number(y + kRow / 2) + "\" r=\"3.5\"><title>" +
            escaped(clock_time(*at) + " " + report["result"].get<std::string>() + " by " +
                    report["path"].get<std::string>() + ", host " + report["host_version"].get<std::string>()) +
            "</title></circle>";
  }
  return text;
}

/// Hours along the top, and a hatched band where nothing happened.
std::string frame(const Scale& scale, double height) {
  std::string text;
  for (const auto& cut : scale.cuts()) {
    text += "<rect class=\"cut\" x=\"" + number(cut.x) + "\" y=\"" + number(kTop - 4) + "\" width=\"" +
            number(cut.width) + "\" height=\"" + number(height - kTop + 4) + "\"><title>nothing happened for " +
            duration(cut.length) + "</title></rect>";
  }
  for (const auto& mark : scale.marks()) {
    text += "<line class=\"grid\" x1=\"" + number(mark.x) + "\" x2=\"" + number(mark.x) + "\" y1=\"" +
            number(kTop - 4) + "\" y2=\"" + number(height) + "\"/><text class=\"time\" x=\"" + number(mark.x) +
            "\" y=\"11\">" + clock_time(mark.at) + "</text>";
  }
  return text;
}

std::string drawing(const std::string& what, double height, const std::string& inside) {
  return "<svg class=\"chart\" role=\"img\" aria-label=\"" + escaped(what) + "\" viewBox=\"0 0 " +
         number(kLeft + kWidth + 12) + " " + number(height) + "\" xmlns=\"http://www.w3.org/2000/svg\">" + inside +
         "</svg>\n";
}

}  // namespace

std::string fleet_chart(const Json& report) {
  std::vector<Span> spans;
  for (const auto& machine : report["machines"]) collect(machine, spans);
  const Scale scale{spans, kLeft, kWidth};
  if (scale.empty()) return "";
  const auto height = kTop + kRow * static_cast<double>(report["machines"].size());
  std::string text = frame(scale, height);
  double y = kTop;
  for (const auto& machine : report["machines"]) {
    text += label(y, machine["name"].get<std::string>());
    for (const auto& step : machine["steps"]) {
      for (const auto& attempt : step["attempts"]) text += attempt_bar(scale, step, attempt, y);
    }
    y += kRow;
  }
  return drawing("the time line of every machine", height, text);
}

std::string machine_chart(const Json& machine) {
  std::vector<Span> spans;
  collect(machine, spans);
  const Scale scale{spans, kLeft, kWidth};
  if (scale.empty()) return "<p class=\"quiet\">Nothing has been done on this machine yet.</p>\n";
  const auto height = kTop + kRow * static_cast<double>(machine["steps"].size() + 2);
  std::string text = frame(scale, height);
  double y = kTop;
  for (const auto& step : machine["steps"]) {
    text += label(y, step["step"].dump() + " " + step["name"].get<std::string>());
    for (const auto& attempt : step["attempts"]) text += attempt_bar(scale, step, attempt, y);
    y += kRow;
  }
  text += label(y, "pushes") + push_bars(scale, machine, y) + label(y + kRow, "reports") +
          report_marks(scale, machine, y + kRow);
  return drawing("the time line of " + machine["name"].get<std::string>(), height, text);
}

}  // namespace berth::migrate::report_detail
