#pragma once
#include <string>
#include <vector>

#include "base/clock.h"

namespace berth::migrate::report_detail {

struct Span {
  Time from, to;
};

/// Where an instant is on a chart. Time runs evenly while something happens; where nothing does for long it is
/// cut out, so that two seconds of work are still seen beside a night of none.
class Scale {
 public:
  struct Cut {
    double x, width;
    std::chrono::milliseconds length;
  };
  struct Mark {
    double x;
    Time at;
  };

  Scale(std::vector<Span> busy, double left, double width);

  double x(Time at) const;
  const std::vector<Cut>& cuts() const { return cuts_; }
  /// Where a stretch of work begins, not nearer to one another than a label is wide.
  std::vector<Mark> marks() const;
  bool empty() const { return stretches_.empty(); }

 private:
  struct Stretch {
    Span when;
    double x, width;
  };
  std::vector<Stretch> stretches_;
  std::vector<Cut> cuts_;
  double left_;
};

}  // namespace berth::migrate::report_detail
