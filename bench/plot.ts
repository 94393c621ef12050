import type { Curve } from "./bench.js";

const [PANEL_WIDTH, PANEL_HEIGHT, COLUMNS] = [300, 226, 3];
/** Around the lines themselves: room for the numbers and the title. */
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 20, 34, 44];

/** One panel a curve, the size on a logarithmic axis, milliseconds from 0. Follows the reader's light or dark. */
export function plot(curves: readonly Curve[]): string {
  const rows = Math.ceil((curves.length + 1) / COLUMNS);
  const [width, height] = [COLUMNS * PANEL_WIDTH + 16, rows * PANEL_HEIGHT + 16];
  const top = topOf(curves.filter((curve) => !isOfTheChange(curve)));
  const panels = curves.map((curve, at) => inCell(at, panel(curve, isOfTheChange(curve) ? topOf([curve]) : top)));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="What one commit costs over the size of the repository, its history, records, worktrees, descriptions and shared authors, and of the change">
${STYLE}
<rect class="paper" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${[...panels, inCell(curves.length, legend())].join("\n")}
</svg>
`;
}

const STYLE = `<style>
:root { --paper: #f6f8fa; --ink: #1f2328; --dim: #59636e; --line: #d0d7de; --c: #0a5a9c }
@media (prefers-color-scheme: dark) {
:root { --paper: #161b22; --ink: #e6edf3; --dim: #9198a1; --line: #30363d; --c: #79c0ff }
}
.paper { fill: var(--paper); stroke: var(--line) }
text { font: 11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--dim) }
.title { font-size: 13px; font-weight: 600; fill: var(--ink) }
.value { fill: var(--ink); stroke: var(--paper); stroke-width: 3; paint-order: stroke }
.end { text-anchor: end } .middle { text-anchor: middle }
.grid { stroke: var(--line); stroke-width: 1 }
.floor { stroke: var(--dim); stroke-width: 1.5; stroke-dasharray: 3 4 }
.band { fill: var(--c); opacity: 0.18 }
.curve { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round }
.dot { fill: var(--c) }
</style>`;

/** The one curve that is meant to grow has a scale of its own. */
const isOfTheChange = ({ over }: Curve) => over.startsWith("changed");

const inCell = (index: number, content: string) => {
  const [x, y] = [8 + (index % COLUMNS) * PANEL_WIDTH, 8 + Math.floor(index / COLUMNS) * PANEL_HEIGHT];
  return `<g transform="translate(${x} ${y})">\n${content}\n</g>`;
};

/** The least round step of which four hold everything. */
function topOf(curves: readonly Curve[]): number {
  const most = Math.max(1, ...curves.flatMap(({ points }) => points.map(({ high }) => high)));
  const steps = [1, 2, 2.5, 5].flatMap((digit) => [10, 100, 1_000, 10_000].map((power) => digit * power));
  return 4 * (steps.sort((a, b) => a - b).find((step) => step * 4 >= most * 1.1) ?? most);
}

function panel({ over, points, floor }: Curve, top: number): string {
  const [bottom, right] = [PANEL_HEIGHT - BOTTOM, PANEL_WIDTH - RIGHT];
  const [least, most] = [Math.log(points[0]?.at ?? 1), Math.log(points.at(-1)?.at ?? 10)];
  const x = (at: number) => round(LEFT + 8 + ((Math.log(at) - least) / (most - least)) * (right - LEFT - 16));
  const y = (ms: number) => round(bottom - (ms / top) * (bottom - TOP));
  const line = (ms: number, name: string) =>
    `<line class="${name}" x1="${LEFT}" x2="${right}" y1="${y(ms)}" y2="${y(ms)}"/>`;
  const grid = [0, 1, 2, 3, 4].map((step) => (step * top) / 4);
  const around = [
    ...points.map(({ at, high }) => [x(at), y(high)]),
    ...points.toReversed().map(({ at, low }) => [x(at), y(low)]),
  ];
  return [
    `<text class="title" x="${LEFT}" y="20">${over}</text>`,
    ...grid.map((ms) => line(ms, "grid")),
    ...grid.map((ms) => `<text class="end" x="${LEFT - 6}" y="${y(ms) + 4}">${ms.toLocaleString("en")}</text>`),
    `<text class="middle" transform="translate(11 ${(TOP + bottom) / 2}) rotate(-90)">ms</text>`,
    line(floor, "floor"),
    `<polygon class="band" points="${around.map((pair) => pair.join(",")).join(" ")}"/>`,
    `<polyline class="curve" points="${points.map(({ at, median }) => `${x(at)},${y(median)}`).join(" ")}"/>`,
    ...points.map(({ at, median }) => `<circle class="dot" cx="${x(at)}" cy="${y(median)}" r="3"/>`),
    ...points.map(({ at }) => `<text class="middle" x="${x(at)}" y="${bottom + 16}">${at.toLocaleString("en")}</text>`),
    ...[points[0], points.at(-1)].map((point, isLast) => {
      if (point === undefined) return "";
      const anchor = isLast ? "middle" : "start"; // away from the axis' numbers
      return `<text class="value ${anchor}" x="${x(point.at) - (isLast ? 0 : 4)}" y="${y(point.high) - 8}">${Math.round(point.median)}</text>`;
    }),
    `<text class="middle" x="${(LEFT + right) / 2}" y="${bottom + 34}">${over}, logarithmic</text>`,
  ].join("\n");
}

const round = (value: number) => Math.round(value * 10) / 10;

/** What stands in the last cell. */
function legend(): string {
  const samples = [
    [
      '<line class="curve" x1="0" x2="26" y1="0" y2="0"/><circle class="dot" cx="13" cy="0" r="3"/>',
      "median of the rounds",
    ],
    ['<rect class="band" x="0" y="-7" width="26" height="14"/>', "the half of them in the middle"],
    ['<line class="floor" x1="0" x2="26" y1="0" y2="0"/>', "an empty Node (node -e 0)"],
  ];
  const lines = ["One commit, git waiting for Phase 0 and 1:", "the hook from its start to its end."];
  return [
    '<text class="title" x="52" y="20">what one commit costs</text>',
    ...lines.map((text, at) => `<text x="52" y="${48 + at * 16}">${text}</text>`),
    ...samples.map(
      ([mark, text], at) => `<g transform="translate(52 ${96 + at * 24})">${mark}<text x="36" y="4">${text}</text></g>`,
    ),
    '<text x="52" y="176">Changed files have a scale of their own.</text>',
  ].join("\n");
}
