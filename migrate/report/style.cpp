#include "migrate/report/sections.h"

namespace berth::migrate::report_detail {

const char* const kStyle = R"css(
:root { --ink: #1d2730; --quiet: #5d6b78; --line: #d9e0e6; --paper: #fff; --wash: #f5f7f9;
  --s1: #7a8ea3; --s2: #2f6fb2; --s3: #7b5cb0; --s4: #1f8a70; --s5: #c07a1a; --bad: #c0392b; --good: #1f8a4c; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1060px; padding: 28px 24px 60px; color: var(--ink); background: var(--paper);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 27px; margin: 0; } h1 em { font-style: normal; color: var(--s2); }
h2 { font-size: 20px; margin: 34px 0 8px; } h4 { margin: 20px 0 6px; font-size: 15px; }
.quiet, small { color: var(--quiet); } .quiet { margin: 2px 0 12px; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; padding: 10px 12px; margin: 6px 0;
  overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--line); text-underline-offset: 3px; }
.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; margin: 18px 0; }
.tile { border: 1px solid var(--line); border-radius: 8px; padding: 10px 14px; background: var(--wash); }
.tile b { display: block; font-size: 25px; line-height: 1.2; } .tile span { color: var(--quiet); font-size: 13px; }
.tile.good b { color: var(--good); } .tile.bad b { color: var(--bad); }
.next { border-left: 4px solid var(--s2); padding: 6px 12px; background: var(--wash); }
table { border-collapse: collapse; width: 100%; margin: 10px 0; font-size: 13.5px; }
th, td { text-align: left; vertical-align: top; padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); }
thead th { color: var(--quiet); font-weight: 500; } tbody th { font-weight: 600; white-space: nowrap; }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.steps td:nth-child(3) { white-space: nowrap; } tr.note td { color: var(--quiet); }
table code { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr max-content 1fr; gap: 2px 14px; margin: 6px 0 14px; font-size: 13.5px; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.chip { display: inline-block; padding: 0 8px; border-radius: 9px; font-size: 12px; line-height: 19px; font-weight: 500;
  background: #e6ebf0; color: #44525f; vertical-align: middle; white-space: nowrap; }
.chip.done { background: #d9f0e2; color: #14633a; } .chip.failed { background: #fbdedb; color: #8f2317; }
.chip.running, .chip.under_way { background: #dceafa; color: #1d4f85; }
.chip.backed_out { background: #f4e8d2; color: #7a4d0c; } .chip.set_aside { background: #efe3f7; color: #5a3a86; }
.why { color: var(--bad); } pre.error { color: var(--bad); }
.diff .add { color: #14633a; background: #e3f5ea; display: inline-block; min-width: 100%; }
.diff .del { color: #8f2317; background: #fdeceb; display: inline-block; min-width: 100%; }
.diff .head { color: var(--quiet); }
.legend { font-size: 13px; color: var(--quiet); margin: 0 0 6px; }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin: 0 5px -1px 12px; }
.legend i:first-child { margin-left: 0; }
i.step1 { background: var(--s1); } i.step2 { background: var(--s2); } i.step3 { background: var(--s3); }
i.step4 { background: var(--s4); } i.step5 { background: var(--s5); } i.failed { background: var(--bad); }
i.cut { background: #e9edf1; border: 1px solid var(--line); }
svg.chart { display: block; width: 100%; height: auto; margin: 6px 0 12px; }
svg text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--quiet); }
svg text.row { text-anchor: end; fill: var(--ink); font-size: 12px; }
svg .grid { stroke: var(--line); stroke-width: 1; } svg .cut { fill: #eef1f4; }
svg .step1 { fill: var(--s1); } svg .step2 { fill: var(--s2); } svg .step3 { fill: var(--s3); }
svg .step4 { fill: var(--s4); } svg .step5 { fill: var(--s5); }
svg .bar.failed, svg .bar.refused { fill: var(--bad); } svg .bar.backed_out { fill: #b98a3a; }
svg .bar.running { fill-opacity: .45; stroke: var(--s2); stroke-dasharray: 3 2; }
svg .bar.push { fill: #8aa5bd; } svg .bar.push.failed, svg .bar.push.refused { fill: var(--bad); }
svg .report { fill: #9fb0bf; } svg .path-holder { fill: var(--s4); } svg .path-cli { fill: var(--s5); }
svg .report.failed, svg .report.refused, svg .path-none { fill: var(--bad); }
details { margin: 6px 0; } summary { cursor: pointer; color: var(--quiet); font-size: 13.5px; }
footer { margin-top: 40px; color: var(--quiet); font-size: 13px; border-top: 1px solid var(--line); padding-top: 10px; }
@page { size: A4; margin: 14mm 12mm; }
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  section.machine { break-before: page; } h2, h4 { break-after: avoid; }
  tr, svg, .tile, dl { break-inside: avoid; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  details pre { font-size: 8pt; }
}
@media (max-width: 700px) { table { display: block; overflow-x: auto; } .tiles { grid-template-columns: repeat(2, 1fr); } dl { grid-template-columns: max-content 1fr; } }
)css";

}  // namespace berth::migrate::report_detail
