#include "migrate/report/scale.h"

#include <algorithm>

namespace berth::migrate::report_detail {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr double kCutWidth = 26;
constexpr double kLabelWidth = 58;
constexpr nanoseconds kLeastCut = std::chrono::seconds{20};

std::vector<Span> merged(std::vector<Span> spans, nanoseconds bridge) {
  std::ranges::sort(spans, {}, &Span::from);
  std::vector<Span> list;
  for (const auto& span : spans) {
    if (!list.empty() && span.from - list.back().to <= bridge) {
      list.back().to = std::max(list.back().to, span.to);
    } else {
      list.push_back(span);
    }
  }
  return list;
}

nanoseconds busy_time(const std::vector<Span>& spans) {
  nanoseconds total{0};
  for (const auto& span : spans) total += span.to - span.from;
  return total;
}

}  // namespace

Scale::Scale(std::vector<Span> busy, double left, double width) : left_(left) {
  // A pause is cut out once it would take more room than a third of all the work.
  const auto work = busy_time(merged(busy, nanoseconds{0}));
  const auto spans = merged(std::move(busy), std::max(kLeastCut, work / 3));
  if (spans.empty()) return;
  const auto total = std::max<nanoseconds>(busy_time(spans), milliseconds{1});
  const auto cuts = static_cast<double>(spans.size() - 1);
  // With very many pauses each takes less, so that the work keeps half of the width; with instants alone, all.
  const bool only_instants = busy_time(spans) == nanoseconds{0} && cuts > 0;
  const auto cut = only_instants ? width / cuts : std::min(kCutWidth, cuts > 0 ? width / 2 / cuts : kCutWidth);
  const auto each = (width - cut * cuts) / static_cast<double>(total.count());
  double at = left;
  for (const auto& span : spans) {
    if (!stretches_.empty()) {
      cuts_.push_back({at, cut, duration_cast<milliseconds>(span.from - stretches_.back().when.to)});
      at += cut;
    }
    const auto wide = each * static_cast<double>((span.to - span.from).count());
    stretches_.push_back({span, at, wide});
    at += wide;
  }
}

double Scale::x(Time at) const {
  double x = left_;
  for (const auto& stretch : stretches_) {
    if (at < stretch.when.from) return x;  // in a cut: at its edge
    x = stretch.x + stretch.width;
    if (at > stretch.when.to) continue;
    const auto length = static_cast<double>((stretch.when.to - stretch.when.from).count());
    if (length <= 0) return stretch.x;
    return stretch.x + stretch.width * static_cast<double>((at - stretch.when.from).count()) / length;
  }
  return x;
}

std::vector<Scale::Mark> Scale::marks() const {
  std::vector<Mark> list;
  const auto add = [&](double x, Time at) {
    if (list.empty() || x - list.back().x >= kLabelWidth) list.push_back({x, at});
  };
  for (const auto& stretch : stretches_) {
    add(stretch.x, stretch.when.from);
    // A long stretch is marked along its way too.
    const auto parts = static_cast<int>(stretch.width / 120);
    for (int i = 1; i < parts; ++i) {
      const auto share = static_cast<double>(i) / parts;
      const auto on = nanoseconds{
          static_cast<std::int64_t>(share * static_cast<double>((stretch.when.to - stretch.when.from).count()))};
      add(stretch.x + stretch.width * share, stretch.when.from + on);
    }
  }
  return list;
}

}  // namespace berth::migrate::report_detail
